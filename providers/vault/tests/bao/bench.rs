//! A server for each test, and stores that reach it through the real wire.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use lockstep_provider_api::conformance::{CallLog, MemoryObjects, NAMESPACE};
use lockstep_provider_api::context::{Services, Time};
use lockstep_provider_api::retry::RetrySettings;
use lockstep_provider_api::{
    Ctx, Entry, Error, PushItem, PushTarget, RemoteRef, Result, Scope, SecretMap, SecretValue,
    Shared, SharedStore, StoreName, Variables,
};
use lockstep_provider_vault::Vault;
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::bao::{Bao, ROOT};
use serde_json::{Value, json};

/// Everything a store is connected with.
pub(crate) struct Bench {
    pub(crate) bao: Bao,
    pub(crate) objects: Arc<MemoryObjects>,
    pub(crate) services: Arc<Services>,
    pub(crate) clock: Arc<Clock>,
}

/// The system's clock, which a test may set forward.
#[derive(Default)]
pub(crate) struct Clock(AtomicI64);

impl Clock {
    pub(crate) fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::Relaxed);
    }
}

impl Time for Clock {
    fn now(&self) -> Timestamp {
        SystemTime.now() + SignedDuration::from_secs(self.0.load(Ordering::Relaxed))
    }

    fn sleep(&self, delay: Duration) -> BoxFuture<'static, ()> {
        SystemTime.sleep(delay)
    }
}

impl Bench {
    /// A server, and a Secret `creds` with the token of its owner.
    pub(crate) fn new() -> Self {
        Self::over(Bao::start().unwrap(), &[])
    }

    pub(crate) fn over(bao: Bao, variables: &[(&str, String)]) -> Self {
        let objects: Arc<MemoryObjects> = Arc::default();
        objects.put_secret(NAMESPACE, "creds", "token", ROOT);
        let clock: Arc<Clock> = Arc::default();
        let services = services_at(&clock, &objects, variables);
        Self {
            bao,
            objects,
            services,
            clock,
        }
    }

    /// A store with the owner's token on the KV v2 engine at `kv`.
    pub(crate) async fn store(&self) -> SharedStore {
        self.connect(self.spec()).await.unwrap()
    }

    /// The manifest of such a store.
    pub(crate) fn spec(&self) -> Value {
        self.spec_with(json!({ "tokenSecretRef": { "name": "creds", "key": "token" } }))
    }

    /// The manifest of a store with another way to log in.
    pub(crate) fn spec_with(&self, auth: Value) -> Value {
        json!({ "server": self.bao.url(), "path": "kv", "auth": auth })
    }

    pub(crate) async fn connect(&self, spec: Value) -> Result<SharedStore> {
        connect(&self.services, spec).await
    }

    /// Why a store cannot be opened.
    pub(crate) async fn refused(&self, spec: Value) -> Error {
        self.connect(spec).await.err().unwrap()
    }

    /// Requests to the server since this was last asked.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.bao.take_seen()
    }

    /// The present members of a secret at `kv`.
    pub(crate) fn data(&self, key: &str) -> Value {
        let answer = self
            .bao
            .call("GET", &format!("kv/data/{key}"), &Value::Null);
        answer.unwrap()["data"]["data"].clone()
    }

    /// The metadata of a secret at `kv`.
    pub(crate) fn metadata(&self, key: &str) -> Option<Value> {
        let path = format!("kv/metadata/{key}");
        let answer = self.bao.call("GET", &path, &Value::Null).ok()?;
        Some(answer["data"].clone())
    }
}

pub(crate) fn services(
    objects: &Arc<MemoryObjects>,
    variables: &[(&str, String)],
) -> Arc<Services> {
    services_at(&Arc::default(), objects, variables)
}

fn services_at(
    clock: &Arc<Clock>,
    objects: &Arc<MemoryObjects>,
    variables: &[(&str, String)],
) -> Arc<Services> {
    let variables: Variables = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    Arc::new(Services {
        objects: Arc::clone(objects) as _,
        transports: Arc::new(HttpTransports::new(Settings::default())),
        time: Arc::clone(clock) as _,
        calls: Arc::<CallLog>::default(),
        ambient: true,
        variables,
        shared: Shared::default(),
    })
}

pub(crate) async fn connect(services: &Arc<Services>, spec: Value) -> Result<SharedStore> {
    let store = StoreName {
        namespace: Some(NAMESPACE.to_owned()),
        name: "store".to_owned(),
    };
    let scope = Scope::Namespaced {
        namespace: NAMESPACE.to_owned(),
    };
    // Real pauses would make tests slow.
    let settings = RetrySettings::parse(Some(2), Some("10ms")).unwrap();
    let ctx = Ctx::new(Arc::clone(services), store, scope).with_retry(settings);
    Entry::of::<Vault>().connect(spec, ctx).await
}

/// One value as text.
pub(crate) async fn read(store: &SharedStore, reference: RemoteRef) -> Result<String> {
    let value = store.get(&reference).await?;
    Ok(value.expose_utf8()?.to_owned())
}

/// A push of one value.
pub(crate) fn push(key: &str, property: Option<&str>, value: &str) -> PushItem {
    let source = SecretMap::from_iter([("v".to_owned(), SecretValue::from(value))]);
    let target = PushTarget {
        property: property.map(str::to_owned),
        ..PushTarget::key(key)
    };
    PushItem {
        secret_key: Some("v".to_owned()),
        ..PushItem::whole(target, source)
    }
}
