//! A moto server for all tests, and stores that reach it through the real wire.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use lockstep_provider_api::conformance::{CallLog, MemoryObjects, NAMESPACE};
use lockstep_provider_api::context::{Objects, Services};
use lockstep_provider_api::retry::RetrySettings;
use lockstep_provider_api::{
    Ctx, Entry, PushItem, PushTarget, Result, Scope, SecretMap, Shared, SharedStore, StoreName,
    Variables,
};
use lockstep_provider_aws::Aws;
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::moto::{Moto, REGION};
use serde_json::{Value, json};

/// The server that takes any credentials, shared by all tests.
pub(crate) fn moto() -> &'static Moto {
    static MOTO: OnceLock<Moto> = OnceLock::new();
    MOTO.get_or_init(|| Moto::start().unwrap())
}

/// A word that no other test uses.
pub(crate) fn word(about: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{about}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Everything a store is connected with.
pub(crate) struct Bench {
    pub(crate) objects: Arc<MemoryObjects>,
    services: Arc<Services>,
    retry: Option<RetrySettings>,
}

impl Bench {
    /// Services that lead to a server; the Secret `creds` holds the keys `id` and `secret`.
    pub(crate) fn new(moto: &Moto, id: &str, secret: &str) -> Self {
        let objects: Arc<MemoryObjects> = Arc::default();
        objects.put_secret(NAMESPACE, "creds", "id", id);
        objects.put_secret(NAMESPACE, "creds", "secret", secret);
        let variables = moto.environment().into_iter().collect();
        Self::over(Arc::clone(&objects), objects as _, variables, false)
    }

    pub(crate) fn over(
        memory: Arc<MemoryObjects>,
        objects: Arc<dyn Objects>,
        variables: Variables,
        ambient: bool,
    ) -> Self {
        let services = Services {
            objects,
            transports: Arc::new(HttpTransports::new(Settings::default())),
            time: Arc::new(SystemTime),
            calls: Arc::<CallLog>::default(),
            ambient,
            variables,
            shared: Shared::default(),
        };
        Self {
            objects: memory,
            services: Arc::new(services),
            retry: None,
        }
    }

    pub(crate) fn with_retry(mut self, settings: RetrySettings) -> Self {
        self.retry = Some(settings);
        self
    }

    /// A store of the shared server with keys of this id.
    pub(crate) async fn plain(id: &str, service: &str) -> SharedStore {
        let bench = Self::new(moto(), id, "any");
        bench.connect(spec(service)).await.unwrap()
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
        let mut ctx = Ctx::new(Arc::clone(&self.services), store, scope);
        if let Some(settings) = self.retry {
            ctx = ctx.with_retry(settings);
        }
        Entry::of::<Aws>().connect(spec, ctx).await
    }
}

/// A spec with static keys.
pub(crate) fn spec(service: &str) -> Value {
    json!({
        "service": service,
        "region": REGION,
        "auth": { "secretRef": {
            "accessKeyIDSecretRef": { "name": "creds", "key": "id" },
            "secretAccessKeySecretRef": { "name": "creds", "key": "secret" },
        } },
    })
}

/// Actions that came through the relay about a word, in order.
pub(crate) fn seen(about: &str) -> Vec<String> {
    let seen = moto().seen();
    let ours = seen
        .iter()
        .filter(|one| one.body.contains(about) || one.key_id.contains(about));
    ours.map(|one| one.action.clone()).collect()
}

/// A push of one value.
pub(crate) fn push(key: &str, value: impl Into<lockstep_provider_api::SecretValue>) -> PushItem {
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

/// Tags of an answer as a map.
pub(crate) fn tags(list: &Value) -> BTreeMap<String, String> {
    let tags = list.as_array().into_iter().flatten();
    tags.map(|tag| {
        let part = |name: &str| tag[name].as_str().unwrap().to_owned();
        (part("Key"), part("Value"))
    })
    .collect()
}
