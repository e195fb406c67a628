//! A server for each test, and stores that reach it through the real wire.

use std::sync::Arc;

use base64::Engine as _;
use lockstep_provider_api::conformance::{CallLog, MemoryObjects, NAMESPACE};
use lockstep_provider_api::context::{Objects, Services};
use lockstep_provider_api::{
    Ctx, Entry, PushItem, PushTarget, Result, Scope, SecretMap, SecretValue, Shared, SharedStore,
    StoreName, Variables,
};
use lockstep_provider_gcpsm::Gcpsm;
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::gcp::Google;
use serde_json::{Value, json};

/// The account of the usual key.
pub(crate) const READER: &str = "reader@p.iam.gserviceaccount.com";
/// Where the tests' secrets are.
pub(crate) const PLACE: &str = "projects/p";

/// Everything a store is connected with.
pub(crate) struct Bench {
    pub(crate) google: Google,
    pub(crate) objects: Arc<MemoryObjects>,
    services: Arc<Services>,
}

impl Bench {
    /// A server, and a Secret `creds` with a key that it knows.
    pub(crate) fn new() -> Self {
        Self::over(Google::start().unwrap(), None, &[])
    }

    pub(crate) fn over(
        google: Google,
        objects: Option<Arc<dyn Objects>>,
        more: &[(&str, String)],
    ) -> Self {
        let memory: Arc<MemoryObjects> = Arc::default();
        memory.put_secret(NAMESPACE, "creds", "key", google.key(READER));
        let more = more
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        let variables: Variables = google.environment().into_iter().chain(more).collect();
        let services = Services {
            objects: objects.unwrap_or_else(|| Arc::clone(&memory) as _),
            transports: Arc::new(HttpTransports::new(Settings::default())),
            time: Arc::new(SystemTime),
            calls: Arc::<CallLog>::default(),
            ambient: true,
            variables,
            shared: Shared::default(),
        };
        Self {
            google,
            objects: memory,
            services: Arc::new(services),
        }
    }

    /// A store with the usual key.
    pub(crate) async fn store(&self) -> SharedStore {
        self.connect(spec()).await.unwrap()
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
        Entry::of::<Gcpsm>().connect(spec, ctx).await
    }

    /// Why a store cannot be opened.
    pub(crate) async fn refused(&self, spec: Value) -> lockstep_provider_api::Error {
        self.connect(spec).await.err().unwrap()
    }

    pub(crate) fn seed(&self, name: &str, values: &[&str]) {
        self.seed_labelled(name, values, &json!({}));
    }

    pub(crate) fn seed_labelled(&self, name: &str, values: &[&str], labels: &Value) {
        let values: Vec<_> = values.iter().map(|value| value.as_bytes()).collect();
        self.google.seed(PLACE, name, &values, labels).unwrap();
    }

    /// Turns a version's state: `disable`, `enable` or `destroy`.
    pub(crate) fn turn(&self, name: &str, version: u32, to: &str) {
        let path = format!("{PLACE}/secrets/{name}/versions/{version}:{to}");
        self.google.call("POST", &path, &json!({})).unwrap();
    }

    /// A secret as it is stored.
    pub(crate) fn secret(&self, name: &str) -> Value {
        let path = format!("{PLACE}/secrets/{name}");
        self.google.call("GET", &path, &Value::Null).unwrap()
    }

    /// The payload of the newest version.
    pub(crate) fn value(&self, name: &str) -> String {
        let path = format!("{PLACE}/secrets/{name}/versions/latest:access");
        let answer = self.google.call("GET", &path, &Value::Null).unwrap();
        let data = answer["payload"]["data"].as_str().unwrap().to_owned();
        let bytes = base64::engine::general_purpose::STANDARD.decode(data);
        String::from_utf8(bytes.unwrap()).unwrap()
    }

    /// How many versions a secret has.
    pub(crate) fn versions(&self, name: &str) -> usize {
        let path = format!("{PLACE}/secrets/{name}/versions");
        let answer = self.google.call("GET", &path, &Value::Null).unwrap();
        answer["versions"].as_array().map_or(0, Vec::len)
    }

    /// Names of the calls to Secret Manager since this was last asked.
    pub(crate) fn calls(&self) -> Vec<String> {
        let seen = self.google.take_seen().into_iter().map(|one| one.call);
        seen.filter(|call| !call.contains(' ')).collect()
    }
}

/// A store with a key.
pub(crate) fn spec() -> Value {
    json!({
        "projectID": "p",
        "auth": { "secretRef": { "secretAccessKeySecretRef": { "name": "creds", "key": "key" } } },
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
