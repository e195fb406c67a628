//! The provider against real servers: Keystone and Barbican from the Python package index.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

use std::sync::{Arc, OnceLock};

use lockstep_provider_api::conformance::{CallLog, MemoryObjects, NAMESPACE};
use lockstep_provider_api::context::Services;
use lockstep_provider_api::{
    Ctx, Entry, ErrorKind, Find, RemoteRef, Result, Scope, Shared, SharedStore, StoreName,
    Variables,
};
use lockstep_provider_barbican::Barbican;
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::openstack::{self, ADMIN, DOMAIN, Openstack, PASSWORD, REGION};
use lockstep_testkit::progress::say;
use serde_json::{Value, json};

/// Both servers; `None` where they cannot be had.
fn servers() -> Option<&'static Openstack> {
    static SERVERS: OnceLock<Option<Openstack>> = OnceLock::new();
    let made = SERVERS.get_or_init(|| {
        if let Err(error) = openstack::ready() {
            say(&format!(
                "skipped: Keystone and Barbican cannot be installed: {error:#}"
            ));
            return None;
        }
        Some(Openstack::start().unwrap())
    });
    made.as_ref()
}

fn spec(servers: &Openstack, path: &str) -> Value {
    json!({
        "authURL": format!("{}{path}", servers.identity()),
        "domainName": DOMAIN,
        "tenantName": ADMIN,
        "region": REGION,
        "auth": {
            "username": {"value": ADMIN},
            "password": {"secretRef": {"name": "creds", "key": "password"}},
        },
    })
}

async fn connect(spec: Value, password: &str) -> Result<SharedStore> {
    let objects: Arc<MemoryObjects> = Arc::default();
    objects.put_secret(NAMESPACE, "creds", "password", password);
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
    let ctx = Ctx::new(Arc::new(services), store, scope);
    Entry::of::<Barbican>().connect(spec, ctx).await
}

#[tokio::test(flavor = "multi_thread")]
async fn payloads_are_read_whatever_form_the_address_of_keystone_has() {
    let Some(servers) = servers() else { return };
    let text = servers.secret("text", r#"{"user":"u1","n":1.50}"#).unwrap();

    for path in ["/v3", "/v3/", "", "/"] {
        let store = connect(spec(servers, path), &format!("{PASSWORD}\n"))
            .await
            .unwrap();

        let value = store.get(&RemoteRef::key(&text)).await.unwrap();
        assert_eq!(value, r#"{"user":"u1","n":1.50}"#.into());
        let property = RemoteRef::key(&text).property("user");
        assert_eq!(store.get(&property).await.unwrap(), r#""u1""#.into());
    }
}

/// Text is asked for, as the original does.
#[tokio::test(flavor = "multi_thread")]
async fn a_payload_that_is_no_text_is_refused_by_the_server() {
    let Some(servers) = servers() else { return };
    let bytes = servers.binary("bytes", "AAH/").unwrap();
    let store = connect(spec(servers, "/v3"), PASSWORD).await.unwrap();

    let error = store.get(&RemoteRef::key(&bytes)).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    assert!(error.to_string().contains("but got 406 instead"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_reads_all_pages_and_gives_ids() {
    let Some(servers) = servers() else { return };
    let made = (0..12).map(|number| servers.secret(&format!("db-{number}"), "v").unwrap());
    let mut made: Vec<String> = made.collect();
    made.sort();
    let store = connect(spec(servers, "/v3"), PASSWORD).await.unwrap();
    let find = |name: &str| Find {
        name: Some(name.to_owned()),
        ..Find::default()
    };

    let found = store.find(&find("^db-")).await.unwrap();

    assert_eq!(found.keys().collect::<Vec<_>>(), made);
    let none = store.find(&find("^none$")).await.unwrap_err();
    assert_eq!(none.to_string(), "barbican client: no secrets found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_secret_deletes_nothing() {
    let Some(servers) = servers() else { return };
    let store = connect(spec(servers, "/v3"), PASSWORD).await.unwrap();
    let id = RemoteRef::key("0d8f2f1c-0001-4000-8000-000000000001");

    let error = store.get(&id).await.unwrap_err();

    assert!(matches!(error.kind(), ErrorKind::Tombstoned(_)), "{error}");
    assert!(!error.consequence().absent);
    assert!(error.to_string().contains("but got 404 instead"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_and_a_wrong_region_make_no_store() {
    let Some(servers) = servers() else { return };

    let password = connect(spec(servers, "/v3"), "hunter2")
        .await
        .err()
        .unwrap();
    let mut elsewhere = spec(servers, "/v3");
    elsewhere["region"] = json!("Nowhere");
    let region = connect(elsewhere, PASSWORD).await.err().unwrap();

    assert_eq!(password.kind(), &ErrorKind::Unauthenticated);
    let text = password.to_string();
    assert!(
        text.starts_with("barbican provider authentication failed: "),
        "{text}"
    );
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(region.kind(), &ErrorKind::InvalidSpec);
    let text = region.to_string();
    assert!(
        text.contains("No suitable endpoint could be found"),
        "{text}"
    );
}
