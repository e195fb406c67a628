//! A test cloud for each test, and stores that reach it under the names that the real one has.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{HeaderValue, Request, Response, Uri};
use lockstep_provider_api::conformance::{CallLog, MemoryObjects, NAMESPACE};
use lockstep_provider_api::context::{Objects, Services};
use lockstep_provider_api::http::{Tls, Transport, Transports};
use lockstep_provider_api::{
    Ctx, Entry, PushItem, PushTarget, Result, Scope, SecretMap, SecretValue, Shared, SharedStore,
    StoreName,
};
use lockstep_provider_azurekv::Azurekv;
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::azure::{Azure, CLIENT, SECRET, TENANT};
use serde_json::{Value, json};

/// Host of the vault of the tests.
pub(crate) const HOST: &str = "tests.vault.azure.net";

/// A wire on which every host is the test cloud.
pub(crate) struct Redirected {
    inner: Arc<dyn Transport>,
    to: String,
}

impl Redirected {
    pub(crate) fn new(azure: &Azure) -> Self {
        let transports = HttpTransports::new(Settings::default());
        Self {
            inner: transports.connect(&Tls::default()).unwrap(),
            to: azure.plain_url(),
        }
    }
}

impl Transport for Redirected {
    fn send(&self, mut request: Request<Bytes>) -> BoxFuture<'_, Result<Response<Bytes>>> {
        let host = request.uri().authority().unwrap().to_string();
        let path = request.uri().path_and_query().unwrap();
        let uri: Uri = format!("{}{path}", self.to).parse().unwrap();
        *request.uri_mut() = uri;
        let host = HeaderValue::from_str(&host).unwrap();
        request.headers_mut().insert("host", host);
        self.inner.send(request)
    }
}

struct Everywhere(Arc<Redirected>);

impl Transports for Everywhere {
    fn connect(&self, _: &Tls) -> Result<Arc<dyn Transport>> {
        Ok(Arc::clone(&self.0) as _)
    }
}

/// Everything a store is connected with.
pub(crate) struct Bench {
    pub(crate) azure: Azure,
    pub(crate) objects: Arc<MemoryObjects>,
    services: Arc<Services>,
}

impl Bench {
    /// A cloud of its own; the Secret `creds` holds the keys `id` and `secret`.
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// The same with settings of the operator.
    pub(crate) fn with(variables: &[(&str, &str)]) -> Self {
        let objects: Arc<MemoryObjects> = Arc::default();
        let own = Arc::clone(&objects);
        Self::over(Azure::start().unwrap(), objects, own as _, variables)
    }

    pub(crate) fn over(
        azure: Azure,
        memory: Arc<MemoryObjects>,
        objects: Arc<dyn Objects>,
        variables: &[(&str, &str)],
    ) -> Self {
        memory.put_secret(NAMESPACE, "creds", "id", CLIENT);
        memory.put_secret(NAMESPACE, "creds", "secret", SECRET);
        let wire = Arc::new(Redirected::new(&azure));
        let services = Services {
            objects,
            transports: Arc::new(Everywhere(wire)),
            time: Arc::new(SystemTime),
            calls: Arc::<CallLog>::default(),
            ambient: true,
            variables: variables.iter().copied().collect(),
            shared: Shared::default(),
        };
        Self {
            azure,
            objects: memory,
            services: Arc::new(services),
        }
    }

    pub(crate) async fn connect(&self, spec: Value) -> Result<SharedStore> {
        let namespace = NAMESPACE.to_owned();
        self.connect_in(spec, Scope::Namespaced { namespace }).await
    }

    pub(crate) async fn connect_in(&self, spec: Value, scope: Scope) -> Result<SharedStore> {
        let store = StoreName {
            namespace: (!scope.is_cluster()).then(|| NAMESPACE.to_owned()),
            name: "store".to_owned(),
        };
        let ctx = Ctx::new(Arc::clone(&self.services), store, scope);
        Entry::of::<Azurekv>().connect(spec, ctx).await
    }

    /// A store with a client secret.
    pub(crate) async fn store(&self) -> SharedStore {
        self.connect(spec()).await.unwrap()
    }

    /// A store with a client secret that follows the newer client.
    pub(crate) async fn sdk_store(&self) -> SharedStore {
        let mut spec = spec();
        spec["useAzureSDK"] = json!(true);
        self.connect(spec).await.unwrap()
    }

    /// Puts a secret into the vault.
    pub(crate) fn put(&self, name: &str, body: &Value) -> Value {
        let path = format!("/secrets/{name}");
        self.azure.vault("PUT", HOST, &path, body).unwrap()
    }

    /// Asks the vault past the provider.
    pub(crate) fn ask(&self, method: &str, path: &str) -> Value {
        self.azure.vault(method, HOST, path, &Value::Null).unwrap()
    }

    /// Requests so far whose text holds a word.
    pub(crate) fn count(&self, word: &str) -> usize {
        let seen = self.azure.seen();
        seen.iter().filter(|one| one.text.contains(word)).count()
    }
}

/// A spec with a client secret.
pub(crate) fn spec() -> Value {
    json!({
        "vaultUrl": format!("https://{HOST}"),
        "tenantId": TENANT,
        "authSecretRef": {
            "clientId": { "name": "creds", "key": "id" },
            "clientSecret": { "name": "creds", "key": "secret" },
        },
    })
}

/// A push of one value.
pub(crate) fn push(key: &str, value: impl Into<SecretValue>) -> PushItem {
    let source = SecretMap::from_iter([("v".to_owned(), value.into())]);
    PushItem {
        secret_key: Some("v".to_owned()),
        ..PushItem::whole(PushTarget::key(key), source)
    }
}

/// `metadata` of a push.
#[expect(clippy::unnecessary_wraps, reason = "the field it is for is optional")]
pub(crate) fn metadata(spec: Value) -> Option<Value> {
    Some(json!({
        "apiVersion": "kubernetes.external-secrets.io/v1alpha1",
        "kind": "PushSecretMetadata",
        "spec": spec,
    }))
}

/// A value as text.
pub(crate) fn text(value: &SecretValue) -> &str {
    value.expose_utf8().unwrap()
}
