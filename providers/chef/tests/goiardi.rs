//! The provider against a real Chef server: goiardi, which checks the signature on every request.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

use std::sync::{Arc, OnceLock};

use lockstep_provider_api::conformance::{CallLog, MemoryObjects, NAMESPACE};
use lockstep_provider_api::context::Services;
use lockstep_provider_api::{
    Check, Ctx, Entry, ErrorKind, RemoteRef, Result, Scope, Shared, SharedStore, StoreName,
    Variables,
};
use lockstep_provider_chef::Chef;
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::goiardi::{ADMIN, Goiardi};
use lockstep_testkit::progress::say;
use serde_json::json;

/// The server with a data bag of two items; `None` where it cannot be had.
fn server() -> Option<&'static Goiardi> {
    static SERVER: OnceLock<Option<Goiardi>> = OnceLock::new();
    let made = SERVER.get_or_init(|| {
        let server = Goiardi::start().unwrap()?;
        server.bag("shop").unwrap();
        let item = json!({"id": "db", "user": "u1", "port": 5432, "tls": {"ca": "<x>"}});
        server.item("shop", &item).unwrap();
        server.item("shop", &json!({"id": "web"})).unwrap();
        Some(server)
    });
    if made.is_none() {
        say("skipped: neither goiardi nor Debian's package tools are on this machine");
    }
    made.as_ref()
}

async fn connect(server: &Goiardi, user: &str, key: &str) -> Result<SharedStore> {
    let objects: Arc<MemoryObjects> = Arc::default();
    objects.put_secret(NAMESPACE, "chef", "pem", key);
    let services = Services {
        objects,
        transports: Arc::new(HttpTransports::new(Settings::default())),
        time: Arc::new(SystemTime),
        calls: Arc::<CallLog>::default(),
        ambient: false,
        variables: Variables::default(),
        shared: Shared::default(),
    };
    let store = StoreName {
        namespace: Some(NAMESPACE.to_owned()),
        name: "store".to_owned(),
    };
    let scope = Scope::Namespaced {
        namespace: NAMESPACE.to_owned(),
    };
    let spec = json!({
        "username": user,
        "serverUrl": server.url(),
        "auth": {"secretRef": {"privateKeySecretRef": {"name": "chef", "key": "pem"}}},
    });
    let ctx = Ctx::new(Arc::new(services), store, scope);
    Entry::of::<Chef>().connect(spec, ctx).await
}

async fn store(server: &Goiardi) -> SharedStore {
    let key = server.key().unwrap();
    connect(server, ADMIN, &key).await.unwrap()
}

#[tokio::test]
async fn the_server_takes_the_signature_and_gives_items_and_properties() {
    let Some(server) = server() else { return };
    let store = store(server).await;

    let read = async |reference: RemoteRef| store.get(&reference).await.unwrap();

    let whole = r#"{"id":"db","port":5432,"tls":{"ca":"\u003cx\u003e"},"user":"u1"}"#;
    assert_eq!(read(RemoteRef::key("shop/db")).await, whole.into());
    let property = RemoteRef::key("shop/db").property("tls.ca");
    assert_eq!(read(property).await, "<x>".into());
    assert!(matches!(store.check().await, Check::Healthy(_)));
}

#[tokio::test]
async fn all_items_of_a_bag_are_its_members() {
    let Some(server) = server() else { return };

    let members = store(server).await.get_map(&RemoteRef::key("shop")).await;

    let members = members.unwrap();
    assert_eq!(members.keys().collect::<Vec<_>>(), ["db", "web"]);
    assert_eq!(members.get("web").unwrap(), &r#"{"id":"web"}"#.into());
}

#[tokio::test]
async fn what_is_missing_deletes_nothing() {
    let Some(server) = server() else { return };
    let store = store(server).await;

    let item = store.get(&RemoteRef::key("shop/none")).await.unwrap_err();
    let bag = store.get_map(&RemoteRef::key("none")).await.unwrap_err();

    assert_eq!(
        item.to_string(),
        "data bag item none not found in data bag shop"
    );
    for error in [item, bag] {
        assert!(matches!(error.kind(), ErrorKind::Tombstoned(_)), "{error}");
        assert!(!error.consequence().absent);
    }
}

#[tokio::test]
async fn the_key_of_another_user_is_refused() {
    let Some(server) = server() else { return };
    let other = include_str!("pkcs1.pem");

    for (user, key) in [(ADMIN, other), ("nobody", &server.key().unwrap())] {
        let store = connect(server, user, key).await.unwrap();

        let Check::Failed(error) = store.check().await else {
            unreachable!("the server takes a wrong signature");
        };

        assert_eq!(error.kind(), &ErrorKind::Unauthenticated);
        let read = store.get(&RemoteRef::key("shop/db")).await.unwrap_err();
        assert_eq!(read.kind(), &ErrorKind::Unauthenticated);
    }
}
