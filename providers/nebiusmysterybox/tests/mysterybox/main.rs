//! The provider against a stand-in of Nebius, over a real wire: the contract, both identities, and what
//! is not there. The names below the domain lead to the stand-in.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

mod nebius;

use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, TestServices, grpc_refusal, run, services,
};
use lockstep_provider_api::context::{Services, Time};
use lockstep_provider_api::http::Transport;
use lockstep_provider_api::{
    Ctx, Error, ErrorKind, Provider, RemoteRef, Scope, SecretValue, Store, StoreName,
};
use lockstep_provider_nebiusmysterybox::{Nebiusmysterybox, NebiusmysteryboxStore};
use lockstep_runtime::clock::SystemTime;
use nebius::{Nebius, credentials};
use serde_json::{Value, json};

/// The entry that the suite seeds.
const ENTRY: &str = "entry";

struct MysteryboxSubject(Nebius);

fn with_account() -> Value {
    json!({"serviceAccountCredsSecretRef": {"name": "nebius", "key": "creds"}})
}

fn spec(auth: Value) -> Value {
    json!({"apiDomain": "api.test.cloud", "auth": auth})
}

impl Subject for MysteryboxSubject {
    type Provider = Nebiusmysterybox;

    fn spec(&self) -> Value {
        spec(with_account())
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "nebius", "creds", credentials(true).to_string());
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        Some(self.0.transport())
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &["tokens.iam.api.test.cloud"]
    }

    /// Proofs are signed with the time of a real clock, which the stand-in checks.
    fn time(&self) -> Option<Arc<dyn Time>> {
        Some(Arc::new(SystemTime))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        self.0.put(key, &[(ENTRY, value.expose())]);
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property(ENTRY)
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        grpc_refusal(status)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mysterybox_keeps_the_contract() {
    run(&MysteryboxSubject(Nebius::start()))
        .await
        .assert_passed();
}

async fn connect(
    nebius: &Nebius,
    auth: Value,
    prepare: impl FnOnce(&TestServices),
) -> Result<NebiusmysteryboxStore, Error> {
    let edges = services().plugged(nebius.transport());
    prepare(&edges);
    let services = Services {
        time: Arc::new(SystemTime),
        ..Arc::into_inner(edges.shared()).unwrap()
    };
    let store = StoreName {
        namespace: Some(NAMESPACE.to_owned()),
        name: "s".to_owned(),
    };
    let scope = Scope::Namespaced {
        namespace: NAMESPACE.to_owned(),
    };
    let ctx = Ctx::new(Arc::new(services), store, scope);
    Nebiusmysterybox::connect(serde_json::from_value(spec(auth)).unwrap(), ctx).await
}

async fn by_token(nebius: &Nebius, token: &str) -> NebiusmysteryboxStore {
    let auth = json!({"tokenSecretRef": {"name": "nebius", "key": "token"}});
    let put = |edges: &TestServices| {
        edges
            .objects
            .put_secret(NAMESPACE, "nebius", "token", token);
    };
    connect(nebius, auth, put).await.unwrap()
}

async fn by_account(nebius: &Nebius, creds: String) -> Result<NebiusmysteryboxStore, Error> {
    let put = |edges: &TestServices| {
        edges
            .objects
            .put_secret(NAMESPACE, "nebius", "creds", creds);
    };
    connect(nebius, with_account(), put).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_read_whole_as_a_map_and_by_key() {
    let nebius = Nebius::start();
    nebius.put("mbsec-1", &[("password", b"hunter2"), ("key", &[0xff, 0])]);
    let store = by_token(&nebius, " fixed-token\n").await;

    let whole = store.get(&RemoteRef::key("mbsec-1")).await.unwrap();
    let map = store.get_map(&RemoteRef::key("mbsec-1")).await.unwrap();
    let one = store
        .get(&RemoteRef::key("mbsec-1").property("key"))
        .await
        .unwrap();

    assert_eq!(whole, r#"{"key":"/wA=","password":"hunter2"}"#.into());
    assert_eq!(map.get("password"), Some(&"hunter2".into()));
    assert_eq!(one.expose(), [0xff, 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_absence_and_is_named() {
    let nebius = Nebius::start();
    nebius.put("mbsec-1", &[("a", b"b")]);
    let store = by_token(&nebius, "fixed-token").await;
    let versioned = |property: Option<&str>| RemoteRef {
        version: Some("v9".to_owned()),
        property: property.map(str::to_owned),
        ..RemoteRef::key("mbsec-1")
    };
    let table = [
        (
            RemoteRef::key("gone"),
            r#"secret "gone" not found: Secret does not exist"#,
        ),
        (
            RemoteRef::key("mbsec-1").property("x"),
            r#"key "x" not found in secret "mbsec-1": Secret does not exist"#,
        ),
        (
            versioned(None),
            r#"version "v9" of secret "mbsec-1" not found: Secret does not exist"#,
        ),
        (
            versioned(Some("a")),
            r#"version "v9" of secret "mbsec-1" not found by key "a": Secret does not exist"#,
        ),
    ];

    for (reference, text) in table {
        let error = store.get(&reference).await.unwrap_err();
        assert_eq!(error.to_string(), text);
        assert_eq!(error.kind(), &ErrorKind::NotFound);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_token_is_an_auth_error() {
    let nebius = Nebius::start();
    let store = by_token(&nebius, "stale").await;

    let error = store.get(&RemoteRef::key("mbsec-1")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unauthenticated);
    assert_eq!(
        error.to_string(),
        "get secret: auth error: rpc error: code = Unauthenticated desc = bad token"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_that_are_refused_or_broken_connect_no_store() {
    let nebius = Nebius::start();

    let refused = by_account(&nebius, credentials(false).to_string()).await;
    let broken = by_account(&nebius, "{hunter2".to_owned()).await;
    let keyless = by_account(&nebius, "{}".to_owned()).await;

    let start = "failed to retrieve iam token by credentials: ";
    let refused = refused.err().unwrap();
    assert_eq!(refused.kind(), &ErrorKind::Unauthenticated);
    assert_eq!(
        refused.to_string(),
        format!(
            "{start}could not exchange creds to iam token: create token: auth error: rpc error: \
             code = Unauthenticated desc = bad proof"
        )
    );
    let broken = broken.err().unwrap().to_string();
    assert_eq!(
        broken,
        format!("{start}invalid subject credentials: malformed JSON")
    );
    let keyless = keyless.err().unwrap().to_string();
    assert!(
        keyless.starts_with(&format!(
            "{start}could not exchange creds to iam token: invalid subject credentials: cannot be \
             signed"
        )),
        "{keyless}"
    );
}
