//! The provider against a stand-in of Yandex Cloud, over a real wire: the contract, and both ways to
//! name certificates. Keys and tokens are tried with `yandexlockbox`.
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
use lockstep_provider_yandexcertificatemanager::{
    Yandexcertificatemanager, YandexcertificatemanagerStore,
};
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::yandex::{FOLDER, Yandex};
use serde_json::{Value, json};

struct CertificateManagerSubject {
    cloud: Yandex,
    transport: Arc<dyn Transport>,
}

impl CertificateManagerSubject {
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

fn prepare(objects: &MemoryObjects, cloud: &Yandex, key: &Value) {
    objects.put_secret(NAMESPACE, "yandex", "key", key.to_string());
    objects.put_secret(NAMESPACE, "yandex", "ca", cloud.ca());
}

impl Subject for CertificateManagerSubject {
    type Provider = Yandexcertificatemanager;

    fn spec(&self) -> Value {
        spec(&self.cloud, json!({"byID": {}}))
    }

    fn prepare(&self, objects: &MemoryObjects) {
        prepare(objects, &self.cloud, &Yandex::key());
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
        let text = value.expose_utf8().map_err(|_| "certificates are text")?;
        self.cloud.put_certificate(key, &[text], "a key");
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property("chain")
    }

    /// Parts of a certificate are trimmed and end with a line break.
    fn given(&self, value: &SecretValue) -> SecretValue {
        let text = value.expose_utf8().unwrap_or_default();
        SecretValue::from(format!("{}\n", text.trim()))
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
async fn certificate_manager_keeps_the_contract() {
    run(&CertificateManagerSubject::new()).await.assert_passed();
}

/// A store with the operator's own transport, so that the authority is the manifest's.
async fn connect(
    cloud: &Yandex,
    spec: Value,
    key: &Value,
) -> Result<YandexcertificatemanagerStore, Error> {
    let edges = services();
    prepare(&edges.objects, cloud, key);
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
    Yandexcertificatemanager::connect(serde_json::from_value(spec).unwrap(), ctx).await
}

async fn read_through(fetching: Value) -> YandexcertificatemanagerStore {
    let cloud = Yandex::start().unwrap();
    cloud.put_certificate("shop", &["leaf\n", "root"], "key\n");
    cloud.deny("theirs");
    let spec = spec(&cloud, fetching);
    let store = connect(&cloud, spec, &Yandex::key()).await.unwrap();
    assert_reads(&store).await;
    assert_refusals(&store).await;
    store
}

async fn assert_reads(store: &YandexcertificatemanagerStore) {
    let reference = RemoteRef::key("shop");

    let whole = store.get(&reference).await.unwrap();
    let chain = store.get(&reference.clone().property("chain")).await;
    let map = store.get_map(&reference).await.unwrap();

    assert_eq!(whole, "leaf\nroot\nkey\n".into());
    assert_eq!(chain.unwrap(), "leaf\nroot\n".into());
    assert_eq!(map.get("chain"), Some(&"leaf\n\nroot".into()));
    assert_eq!(map.get("privateKey"), Some(&"key\n".into()));
}

async fn assert_refusals(store: &YandexcertificatemanagerStore) {
    let gone = store.get(&RemoteRef::key("gone")).await.unwrap_err();
    let denied = store.get_map(&RemoteRef::key("theirs")).await.unwrap_err();
    let property = RemoteRef::key("shop").property("cert");
    let property = store.get(&property).await.unwrap_err();

    assert_eq!(gone.kind(), &missing());
    assert_eq!(
        gone.to_string(),
        "unable to request certificate content to get secret: rpc error: code = NotFound desc = \
         gone not found"
    );
    assert_eq!(denied.kind(), &ErrorKind::Denied);
    assert_eq!(property.to_string(), "unsupported property 'cert'");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_read_by_its_id() {
    read_through(Value::Null).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_read_by_its_name_in_a_folder() {
    read_through(json!({"byName": {"folderID": FOLDER}})).await;
}
