//! What a context resolves, for whom, and what a missing credential means.

use super::*;
use crate::conformance::{NAMESPACE, block_on, services};

fn selector(name: &str, key: &str, namespace: Option<&str>) -> SecretKeySelector {
    SecretKeySelector {
        key: Some(key.to_owned()),
        name: Some(name.to_owned()),
        namespace: namespace.map(str::to_owned),
    }
}

fn cluster(caller: Option<&str>) -> Scope {
    Scope::Cluster {
        caller: caller.map(str::to_owned),
    }
}

#[test]
fn a_namespaced_store_never_reads_another_namespace() {
    let services = services();
    services
        .objects
        .put_secret(NAMESPACE, "creds", "token", "own");
    services
        .objects
        .put_secret("other", "creds", "token", "foreign");

    let ctx = services.ctx("s");
    let read = block_on(ctx.secret(&selector("creds", "token", Some("other"))));

    assert_eq!(read.unwrap(), "own".into());
}

#[test]
fn a_cluster_store_reads_the_namespace_it_names_or_the_callers() {
    let services = services();
    services
        .objects
        .put_secret("app", "creds", "token", "of the caller");
    services
        .objects
        .put_secret("vault", "creds", "token", "of the store");
    let ctx = services.ctx_in("s", cluster(Some("app")));

    let named = block_on(ctx.secret(&selector("creds", "token", Some("vault"))));
    assert_eq!(named.unwrap(), "of the store".into());
    assert!(!ctx.depends_on_caller());

    let callers = block_on(ctx.secret(&selector("creds", "token", None)));
    assert_eq!(callers.unwrap(), "of the caller".into());
    assert!(ctx.depends_on_caller());
}

#[test]
fn a_missing_credential_is_never_a_missing_secret() {
    let services = services();
    services
        .objects
        .put_secret(NAMESPACE, "creds", "token", "x");
    let ctx = services.ctx("s");

    let object = block_on(ctx.secret(&selector("nope", "token", None))).unwrap_err();
    let key = block_on(ctx.secret(&selector("creds", "nope", None))).unwrap_err();

    for error in [&object, &key] {
        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    }
    assert_eq!(
        object.to_string(),
        "cannot get Kubernetes secret \"nope\" from namespace \"conformance\": \
         secrets \"nope\" not found"
    );
    assert_eq!(
        key.to_string(),
        "cannot find secret data for key: \"nope\" in Secret conformance/creds, which has token; add the \
         key, or correct the reference"
    );
}

#[test]
fn keys_of_a_credential_are_not_told_to_users_of_a_cluster_store() {
    let services = services();
    services
        .objects
        .put_secret(NAMESPACE, "creds", "token", "x");
    let ctx = services.ctx_in("s", Scope::Cluster { caller: None });

    let error = block_on(ctx.secret(&selector("creds", "nope", Some(NAMESPACE)))).unwrap_err();

    assert_eq!(
        error.to_string(),
        "cannot find secret data for key: \"nope\" in Secret conformance/creds; add the key, or correct \
         the reference"
    );
}

#[test]
fn a_token_is_made_for_the_audiences_of_both_sides() {
    let services = services();
    let account = ServiceAccountSelector {
        audiences: Some(vec!["mine".to_owned()]),
        name: "robot".to_owned(),
        namespace: None,
    };
    services
        .objects
        .put_service_account(NAMESPACE, "robot", BTreeMap::new());

    let ctx = services.ctx("s");
    let lifetime = Duration::from_mins(10);
    let token = block_on(ctx.service_account_token(&account, &["vault".to_owned()], lifetime));

    assert_eq!(token.unwrap(), "token:conformance/robot:vault,mine".into());
}

#[test]
fn requests_are_counted_with_their_outcome() {
    let services = services();
    let ctx = services.ctx("s");

    let _ = ctx.counted("Kubernetes", "GetSecret", Ok(()));
    let _ = ctx.counted("Kubernetes", "GetSecret", Err::<(), _>(Error::not_found()));

    assert_eq!(
        services.calls.taken(),
        [
            ("Kubernetes", "GetSecret", CallOutcome::Success),
            ("Kubernetes", "GetSecret", CallOutcome::Error),
        ]
    );
}
