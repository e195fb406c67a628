//! What the key must be and where the machine's token may go, without a wire. Signing in over one is
//! tried with the providers.

use futures_util::FutureExt as _;
use lockstep_provider_api::conformance::services;

use super::*;

const SERVICE: Service = Service {
    provider: "Test",
    id: "lockbox-payload",
    field: "apiEndpoint",
};

#[test]
fn a_tenants_store_cannot_have_the_machines_token_sent_elsewhere() {
    let spec = YandexSpec {
        api_endpoint: Some("cloud.yandex.net.evil.test:443".to_owned()),
        ..YandexSpec::default()
    };
    let services = services();
    let ctx = services.ctx("s");

    let connected = connect(&spec, SERVICE, &ctx).now_or_never();

    let error = connected.unwrap().err().unwrap();
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    assert!(error.to_string().starts_with("the token of the machine's"));
    assert!(services.calls.taken().is_empty());
}

#[test]
fn a_cluster_store_may_name_any_cloud() {
    let services = services();
    let cluster = services.ctx_in("s", Scope::Cluster { caller: None });

    assert!(check_host("api.cloud.test:443", &cluster).is_ok());
    assert!(check_host("api.cloud.yandex.net:443", &services.ctx("s")).is_ok());
}

fn refused(json: &str) -> String {
    let key = AuthorizedKey::parse(&json.into()).and_then(AuthorizedKey::into_signer);
    let error = key.err().unwrap();
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    error.to_string()
}

#[test]
fn a_key_is_refused_by_what_it_lacks_and_never_shown() {
    assert_eq!(refused("{}"), "key validation failed: key id is missing");
    let unowned = "key should de issued for service account, but subject is ";
    assert!(refused(r#"{"id":"k"}"#).ends_with(&format!("{unowned}<nil>")));
    let user = r#"&iamkey.Key_UserAccountId{UserAccountId:"u"}"#;
    assert!(refused(r#"{"id":"k","userAccountId":"u"}"#).ends_with(&format!("{unowned}{user}")));
    assert!(
        refused(r#"{"id":"k","serviceAccountId":"s","privateKey":"hunter2"}"#)
            .starts_with("private key parsing failed: invalid key: Key must be a PEM encoded")
    );
    let broken = refused(r#"{"id":"k","private_key":hunter2}"#);
    assert!(broken.starts_with("unable to unmarshal authorized key: "));
    assert!(!broken.contains("hunter2"));
}
