//! Every way to sign in, and what goes wrong with it.

use std::time::Duration;

use lockstep_provider_api::conformance::NAMESPACE;
use lockstep_provider_api::{Entry, ErrorKind, Provider, RemoteRef, Scope};
use lockstep_provider_kubernetes::Kubernetes;
use serde_json::{Value, json};

use crate::bench::{Bench, REMOTE};

async fn read(bench: &Bench, spec: Value) {
    bench.server.put(REMOTE, "db", &[("k", b"v")]);
    let store = bench.connect(spec, Bench::namespaced()).await.unwrap();
    store
        .get(&RemoteRef::key("db").property("k"))
        .await
        .unwrap();
}

async fn refused(bench: &Bench, spec: Value) -> String {
    let connected = bench.connect(spec, Bench::namespaced()).await;
    let error = connected.err().unwrap();
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    error.to_string()
}

#[tokio::test]
async fn a_service_account_signs_in_with_a_token_made_for_it() {
    let bench = Bench::new();
    let account = json!({ "name": "reader", "audiences": ["vault", "api"] });

    read(
        &bench,
        Bench::spec_with(json!({ "serviceAccount": account })),
    )
    .await;

    assert_eq!(
        bench.authorization().unwrap(),
        "Bearer token:conformance/reader:vault,api"
    );
}

#[tokio::test]
async fn a_connection_with_a_made_token_is_renewed_before_the_token_expires() {
    let bench = Bench::new();
    bench
        .services
        .objects
        .put_secret(NAMESPACE, "tok", "t", "static");
    let token = json!({ "token": { "bearerToken": { "name": "tok", "key": "t" } } });

    let made = bench.store().await;
    let fixed = bench
        .connect(Bench::spec_with(token), Bench::namespaced())
        .await
        .unwrap();

    assert_eq!(made.renew_after(), Some(Duration::from_mins(48)));
    assert_eq!(fixed.renew_after(), None);
}

#[tokio::test]
async fn a_cluster_store_takes_the_service_account_of_its_caller_or_of_the_namespace_it_names() {
    let bench = Bench::new();
    bench.server.put(REMOTE, "db", &[("k", b"v")]);
    let named = json!({ "serviceAccount": { "name": "reader", "namespace": NAMESPACE } });
    let called = |caller: &str| Scope::Cluster {
        caller: Some(caller.to_owned()),
    };

    let own = bench
        .connect(Bench::spec(), called(NAMESPACE))
        .await
        .unwrap();
    let other = bench.connect(Bench::spec_with(named), called("app")).await;
    let absent = bench.connect(Bench::spec(), called("app")).await;

    own.get(&RemoteRef::key("db")).await.unwrap();
    assert!(other.is_ok());
    assert_eq!(
        absent.err().unwrap().to_string(),
        "failed to prepare auth: could not fetch Auth.ServiceAccount: cannot create service \
         account token: \"serviceaccounts \\\"reader\\\" not found\""
    );
}

#[tokio::test]
async fn only_a_connection_made_for_a_caller_is_bound_to_it() {
    let bench = Bench::new();
    let entry = Entry::of::<Kubernetes>();
    let scope = Scope::Cluster {
        caller: Some(NAMESPACE.to_owned()),
    };
    let named = json!({ "serviceAccount": { "name": "reader", "namespace": NAMESPACE } });
    let (shared, bound) = (bench.ctx(scope.clone()), bench.ctx(scope));

    entry
        .connect(Bench::spec_with(named), shared.clone())
        .await
        .unwrap();
    entry.connect(Bench::spec(), bound.clone()).await.unwrap();

    assert!(!shared.depends_on_caller());
    assert!(bound.depends_on_caller());
}

#[tokio::test]
async fn a_static_token_is_sent_without_the_newline_files_end_in() {
    let bench = Bench::new();
    bench
        .services
        .objects
        .put_secret(NAMESPACE, "tok", "t", "abc\n");

    let token = json!({ "bearerToken": { "name": "tok", "key": "t" } });
    read(&bench, Bench::spec_with(json!({ "token": token }))).await;

    assert_eq!(bench.authorization().unwrap(), "Bearer abc");
}

#[tokio::test]
async fn a_client_certificate_goes_to_the_connection_and_makes_it_https() {
    let bench = Bench::new();
    bench
        .services
        .objects
        .put_secret(NAMESPACE, "id", "crt", "CERT");
    bench
        .services
        .objects
        .put_secret(NAMESPACE, "id", "key", "KEY");
    let mut spec = Bench::spec_with(json!({ "cert": {
        "clientCert": { "name": "id", "key": "crt" },
        "clientKey": { "name": "id", "key": "key" },
    } }));
    spec["server"]["url"] = "api.test:6443".into();

    read(&bench, spec).await;

    let identity = bench.dialled().pop().unwrap().identity.unwrap();
    assert_eq!(identity.certificate, b"CERT");
    assert_eq!(identity.key, "KEY".into());
    assert_eq!(bench.authorization(), None);
}

#[tokio::test]
async fn a_kubeconfig_stands_in_for_server_and_auth() {
    let bench = Bench::new();
    let config = "{current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}], \
        clusters: [{name: c, cluster: {server: 'https://kc', certificate-authority-data: UEVN}}], \
        users: [{name: u, user: {token: abc}}]}";
    bench
        .services
        .objects
        .put_secret(NAMESPACE, "kc", "config", config);

    let spec = json!({ "authRef": { "name": "kc", "key": "config" }, "remoteNamespace": REMOTE });
    read(&bench, spec).await;

    assert_eq!(bench.authorization().unwrap(), "Bearer abc");
    assert_eq!(bench.dialled()[0].ca.as_deref(), Some(b"PEM".as_slice()));
}

#[tokio::test]
async fn the_authority_comes_from_where_the_store_says() {
    let bench = Bench::new();
    bench
        .services
        .objects
        .put_config_map(NAMESPACE, "ca", "ca.crt", "PEM");
    let mut spec = Bench::spec();
    spec["server"]["caProvider"] = json!({ "type": "ConfigMap", "name": "ca", "key": "ca.crt" });

    read(&bench, spec).await;

    assert_eq!(bench.dialled()[0].ca.as_deref(), Some(b"PEM".as_slice()));
}

#[tokio::test]
async fn faults_of_the_manifest_are_told_in_known_words() {
    let bench = Bench::new();
    let token = json!({ "bearerToken": { "name": "tok", "key": "t" } });
    let account = json!({ "name": "reader" });
    let both = json!({ "token": token, "serviceAccount": account });
    let selector = json!({ "name": "kc", "key": "config" });
    let server = json!({ "url": "https://api.test" });
    let table = [
        (json!({ "server": server }), "no auth provider given"),
        (
            json!({ "server": server, "auth": {} }),
            "no auth provider given",
        ),
        (
            json!({ "auth": { "serviceAccount": account } }),
            "no server URL provided",
        ),
        (
            json!({ "server": server, "auth": both }),
            "multiple auth methods provided: set exactly one of Token, ServiceAccount, or Cert",
        ),
        (
            json!({ "authRef": selector, "auth": { "token": token } }),
            "authRef and inline auth cannot both be set",
        ),
        (
            json!({ "server": server, "auth": { "token": token } }),
            "could not fetch Auth.Token.BearerToken: cannot get Kubernetes secret \"tok\" from \
             namespace \"conformance\": secrets \"tok\" not found",
        ),
        (
            json!({ "authRef": selector }),
            "cannot get Kubernetes secret \"kc\" from namespace \"conformance\": \
             secrets \"kc\" not found",
        ),
        (
            Bench::spec_with(json!({ "cert": {
                "clientCert": { "name": "id", "key": "crt" },
                "clientKey": { "name": "id", "key": "key" },
            } })),
            "could not fetch client key and cert: unable to fetch client certificate: cannot get \
             Kubernetes secret \"id\" from namespace \"conformance\": secrets \"id\" not found",
        ),
    ];

    for (spec, text) in table {
        let error = refused(&bench, spec).await;
        assert_eq!(error, format!("failed to prepare auth: {text}"));
    }
}

#[tokio::test]
async fn no_credential_shows_in_debug_output() {
    const CANARY: &str = "hunter2-canary";
    let bench = Bench::new();
    bench
        .services
        .objects
        .put_secret(NAMESPACE, "tok", "t", CANARY);
    let token = json!({ "token": { "bearerToken": { "name": "tok", "key": "t" } } });
    let spec = serde_json::from_value(Bench::spec_with(token)).unwrap();

    let ctx = bench.ctx(Bench::namespaced());
    let store = Kubernetes::connect(spec, ctx).await.unwrap();

    assert!(!format!("{store:?}").contains(CANARY));
}
