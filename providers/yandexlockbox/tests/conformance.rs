//! The provider against a stand-in of Yandex Cloud, over a real wire: the contract, both ways to name
//! secrets, keys, tokens and certificate authorities.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, grpc_refusal, run, services,
};
use lockstep_provider_api::context::{Scope, Services, StoreName, Time};
use lockstep_provider_api::http::{StatusCode, Tls, Transport, Transports, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{
    Ctx, Error, ErrorKind, Provider, RemoteRef, SecretValue, Store, Tombstone,
};
use lockstep_provider_yandexlockbox::{Yandexlockbox, YandexlockboxStore};
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::yandex::{Entry, EntryValue, FOLDER, Yandex};
use serde_json::{Value, json};

/// The entry that the suite seeds.
const ENTRY: &str = "entry";

struct LockboxSubject {
    cloud: Yandex,
    transport: Arc<dyn Transport>,
}

impl LockboxSubject {
    fn new() -> Self {
        let cloud = Yandex::start().unwrap();
        let tls = Tls {
            ca: Some(cloud.ca().into()),
            ..Tls::default()
        };
        let transports = HttpTransports::new(Settings::default());
        Self {
            transport: transports.connect(&tls).unwrap(),
            cloud,
        }
    }
}

fn spec(cloud: &Yandex, fetching: Value) -> Value {
    json!({
        "apiEndpoint": cloud.address(),
        "auth": {"authorizedKeySecretRef": {"name": "yandex", "key": "key"}},
        "caProvider": {"certSecretRef": {"name": "yandex", "key": "ca"}},
        "fetching": fetching,
    })
}

fn prepare(objects: &MemoryObjects, ca: &str, key: &Value) {
    objects.put_secret(NAMESPACE, "yandex", "key", key.to_string());
    objects.put_secret(NAMESPACE, "yandex", "ca", ca);
}

impl Subject for LockboxSubject {
    type Provider = Yandexlockbox;

    fn spec(&self) -> Value {
        spec(&self.cloud, json!({"byID": {}}))
    }

    fn prepare(&self, objects: &MemoryObjects) {
        prepare(objects, self.cloud.ca(), &Yandex::key());
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        Some(Arc::clone(&self.transport))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &[
            "localhost/yandex.cloud.endpoint.",
            "localhost/yandex.cloud.iam.",
        ]
    }

    /// Proofs are signed with the time of a real clock, which the cloud checks.
    fn time(&self) -> Option<Arc<dyn Time>> {
        Some(Arc::new(SystemTime))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let entry = Entry::new(ENTRY, value.expose());
        self.cloud.put_secret(key, vec![entry]);
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property(ENTRY)
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        grpc_refusal(status)
    }

    /// A missing secret deletes nothing, as in the original.
    fn expected(&self, _call: Call, status: u16) -> Option<ErrorKind> {
        match status {
            404 => Some(missing()),
            _ => StatusCode::from_u16(status).ok().and_then(kind_of),
        }
    }
}

fn missing() -> ErrorKind {
    ErrorKind::Tombstoned(Tombstone {
        state: "missing".into(),
        until: None,
        counts_as_absent: false,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn lockbox_keeps_the_contract() {
    run(&LockboxSubject::new()).await.assert_passed();
}

/// A store with the operator's own transport, so that the authority is the manifest's.
async fn connect(cloud: &Yandex, spec: Value, key: &Value) -> Result<YandexlockboxStore, Error> {
    connect_trusting(cloud.ca(), spec, key).await
}

async fn connect_trusting(ca: &str, spec: Value, key: &Value) -> Result<YandexlockboxStore, Error> {
    let edges = services();
    prepare(&edges.objects, ca, key);
    let services = Services {
        transports: Arc::new(HttpTransports::new(Settings::default())),
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
    Yandexlockbox::connect(serde_json::from_value(spec).unwrap(), ctx).await
}

fn database() -> Vec<Entry> {
    let password = Entry::new("password", b"hunter2");
    let key = Entry {
        key: "key".to_owned(),
        value: Some(EntryValue::Binary(vec![0xff, 0])),
    };
    vec![password, key]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_read_by_its_id_with_one_sign_in() {
    let cloud = Yandex::start().unwrap();
    cloud.put_secret("e6q1", database());
    let store = connect(&cloud, spec(&cloud, Value::Null), &Yandex::key())
        .await
        .unwrap();

    let whole = store.get(&RemoteRef::key("e6q1")).await.unwrap();
    let map = store.get_map(&RemoteRef::key("e6q1")).await.unwrap();
    let one = store
        .get(&RemoteRef::key("e6q1").property("key"))
        .await
        .unwrap();

    assert_eq!(whole, r#"{"key":"/wA=","password":"hunter2"}"#.into());
    assert_eq!(map.get("password"), Some(&"hunter2".into()));
    assert_eq!(one.expose(), [0xff, 0]);
    let calls = cloud.take_calls();
    assert_eq!(calls.len(), 5, "{calls:?}");
    assert!(calls[1].ends_with("IamTokenService/Create"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_read_by_its_name_and_then_all_values_are_base64() {
    let cloud = Yandex::start().unwrap();
    cloud.put_secret("database", database());
    let fetching = json!({"byName": {"folderID": FOLDER}});
    let store = connect(&cloud, spec(&cloud, fetching), &Yandex::key())
        .await
        .unwrap();

    let whole = store.get(&RemoteRef::key("database")).await.unwrap();
    let map = store.get_map(&RemoteRef::key("database")).await.unwrap();

    assert_eq!(whole, r#"{"key":"/wA=","password":"aHVudGVyMg=="}"#.into());
    assert_eq!(map.get("password"), Some(&"hunter2".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_is_not_on_the_list_is_asked_for_by_its_id() {
    let cloud = Yandex::start().unwrap();
    cloud.put_secret("e6q1", database());
    cloud.leave_out("lockbox-payload");
    let store = connect(&cloud, spec(&cloud, Value::Null), &Yandex::key())
        .await
        .unwrap();

    let read = store.get_map(&RemoteRef::key("e6q1")).await.unwrap();

    assert_eq!(read.get("password"), Some(&"hunter2".into()));
    let calls = cloud.take_calls();
    assert!(calls[2].ends_with("ApiEndpointService/Get"), "{calls:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_and_denied_are_told_apart() {
    let cloud = Yandex::start().unwrap();
    cloud.put_secret("mine", database());
    cloud.deny("theirs");
    let store = connect(&cloud, spec(&cloud, Value::Null), &Yandex::key())
        .await
        .unwrap();

    let missing_secret = store.get(&RemoteRef::key("gone")).await.unwrap_err();
    let denied = store.get_map(&RemoteRef::key("theirs")).await.unwrap_err();
    let entry = RemoteRef::key("mine").property("gone");
    let missing_entry = store.get(&entry).await.unwrap_err();
    let version = RemoteRef {
        version: Some("other".to_owned()),
        ..RemoteRef::key("mine")
    };
    let missing_version = store.get(&version).await.unwrap_err();

    assert_eq!(missing_secret.kind(), &missing());
    assert_eq!(
        missing_secret.to_string(),
        "unable to request secret payload to get secret: rpc error: code = NotFound desc = gone \
         not found"
    );
    assert_eq!(denied.kind(), &ErrorKind::Denied);
    assert_eq!(
        denied.to_string(),
        "unable to request secret payload to get secret map: rpc error: code = PermissionDenied \
         desc = Permission denied"
    );
    assert_eq!(missing_entry.kind(), &missing());
    assert_eq!(missing_version.kind(), &missing());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_token_is_replaced_under_way() {
    let cloud = Yandex::start().unwrap();
    cloud.put_secret("mine", database());
    let store = connect(&cloud, spec(&cloud, Value::Null), &Yandex::key())
        .await
        .unwrap();

    cloud.revoke_tokens();
    let read = store
        .get(&RemoteRef::key("mine").property("password"))
        .await;

    assert_eq!(read.unwrap(), "hunter2".into());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_the_cloud_does_not_know_connects_no_store() {
    let cloud = Yandex::start().unwrap();

    let refused = connect(&cloud, spec(&cloud, Value::Null), &Yandex::foreign_key()).await;

    let error = refused.err().unwrap();
    assert_eq!(error.kind(), &ErrorKind::Unauthenticated);
    assert_eq!(
        error.to_string(),
        "failed to create Yandex.Cloud client: iam token create failed: rpc error: code = \
         Unauthenticated desc = JWT signature is invalid"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cloud_of_an_unknown_authority_is_not_believed() {
    let (cloud, other) = (Yandex::start().unwrap(), Yandex::start().unwrap());
    let spec = spec(&other, Value::Null);

    let refused = connect(&cloud, spec, &Yandex::key()).await;

    let error = refused.err().unwrap();
    assert_eq!(error.kind(), &ErrorKind::Unreachable);
    let text = error.to_string();
    let start = "failed to create Yandex.Cloud client: rpc error: code = Unavailable desc = ";
    assert!(text.starts_with(start), "{text}");
    assert!(text.contains("certificate"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_authority_that_is_no_certificate_is_refused() {
    let cloud = Yandex::start().unwrap();
    let spec = spec(&cloud, Value::Null);

    let refused = connect_trusting("no certificate", spec, &Yandex::key()).await;

    let error = refused.err().unwrap();
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    assert_eq!(
        error.to_string(),
        "failed to create Yandex.Cloud client: unable to read trusted CA certificates"
    );
}
