//! What a provider may touch: credentials, HTTP, time and metrics. The namespace rule of
//! namespaced and cluster-scoped stores is enforced here and nowhere else, so no provider can get
//! it wrong. Providers never see a Kubernetes client, the environment or the file system.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use jiff::Timestamp;

use crate::error::{Error, ErrorKind, Result};
use crate::http::{HttpClient, LastRequest, Tls, Transports};
use crate::retry::RetrySettings;
use crate::selector::{SecretKeySelector, ServiceAccountSelector};
use crate::settings::Variables;
use crate::shared::Shared;
use crate::value::{SecretMap, SecretValue};

pub use crate::scope::Scope;

/// Reads Kubernetes objects for credential resolution. Implemented over an API server and over a
/// folder of manifests.
pub trait Objects: Send + Sync {
    /// Data of a Secret.
    fn secret<'a>(&'a self, namespace: &'a str, name: &'a str) -> BoxFuture<'a, Result<SecretMap>>;

    /// Data and labels of a Secret. Without an implementation it has no labels, so that nothing
    /// passes for marked.
    fn labelled_secret<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<LabelledSecret>> {
        Box::pin(async move {
            Ok(LabelledSecret {
                data: self.secret(namespace, name).await?,
                labels: BTreeMap::new(),
            })
        })
    }

    /// Data of a ConfigMap.
    fn config_map<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>>;

    /// Annotations of a ServiceAccount.
    fn service_account<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>>;

    /// A fresh token of a ServiceAccount.
    fn token<'a>(&'a self, request: TokenRequest<'a>) -> BoxFuture<'a, Result<SecretValue>>;
}

/// A Secret with the labels that say what it is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelledSecret {
    /// Its values.
    pub data: SecretMap,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
}

/// A ServiceAccount token to be made.
#[derive(Clone, Copy, Debug)]
pub struct TokenRequest<'a> {
    /// Namespace of the ServiceAccount.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Audiences; empty means the API server's own.
    pub audiences: &'a [String],
    /// Wanted lifetime.
    pub lifetime: Duration,
}

/// The clock and the timer.
pub trait Time: Send + Sync {
    /// The present moment.
    fn now(&self) -> Timestamp;

    /// Completes after `delay`.
    fn sleep(&self, delay: Duration) -> BoxFuture<'static, ()>;
}

/// Counts requests to backends for `externalsecret_provider_api_calls_count`.
pub trait CallRecorder: Send + Sync {
    /// One request was answered.
    fn record(&self, provider: &'static str, call: &'static str, outcome: CallOutcome);
}

/// How a request to a backend ended, as the metric's `status` label says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// It was answered as wished.
    Success,
    /// It failed.
    Error,
}

/// Proof that ambient identity (environment, metadata server, mounted tokens) may be used.
#[derive(Clone, Copy, Debug)]
pub struct Ambient(());

/// What a provider gets to connect with.
#[derive(Clone)]
pub struct Ctx {
    services: Arc<Services>,
    scope: Scope,
    store: StoreName,
    retry: Option<RetrySettings>,
    asked_for_caller: Arc<AtomicBool>,
    last_request: Arc<LastRequest>,
}

/// The edges of the program, behind traits.
pub struct Services {
    /// Credential objects.
    pub objects: Arc<dyn Objects>,
    /// HTTP connections.
    pub transports: Arc<dyn Transports>,
    /// Clock and timer.
    pub time: Arc<dyn Time>,
    /// Request counter.
    pub calls: Arc<dyn CallRecorder>,
    /// Whether ambient identity is allowed.
    pub ambient: bool,
    /// Settings of the whole operator.
    pub variables: Variables,
    /// State of providers that outlives connections.
    pub shared: Shared,
}

/// Kind-free name of a store, for messages and per-store state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoreName {
    /// Namespace of a SecretStore; `None` for a ClusterSecretStore.
    pub namespace: Option<String>,
    /// Name of the store.
    pub name: String,
}

impl Ctx {
    /// A context for one store as seen by one caller.
    pub fn new(services: Arc<Services>, store: StoreName, scope: Scope) -> Self {
        Self {
            services,
            scope,
            store,
            retry: None,
            asked_for_caller: Arc::default(),
            last_request: Arc::default(),
        }
    }

    /// The same context with the store's `retrySettings`.
    pub fn with_retry(mut self, settings: RetrySettings) -> Self {
        self.retry = Some(settings);
        self
    }

    /// The store's `retrySettings`, for providers whose SDK repeats calls by itself. All others
    /// leave repeating to the retry layer.
    pub fn retry(&self) -> Option<&RetrySettings> {
        self.retry.as_ref()
    }

    /// Scope of the store. A provider that looks at it may answer differently for each caller.
    pub fn scope(&self) -> &Scope {
        self.asked_for_caller.store(true, Ordering::Relaxed);
        &self.scope
    }

    /// Scope for checks that depend on the manifest alone.
    pub(crate) fn manifest_scope(&self) -> &Scope {
        &self.scope
    }

    /// Whether what was connected depends on who asked: such a connection of a ClusterSecretStore
    /// must not be shared between namespaces.
    pub fn depends_on_caller(&self) -> bool {
        self.scope.is_cluster() && self.asked_for_caller.load(Ordering::Relaxed)
    }

    /// The namespace a selector means, noting when that is the caller's.
    pub(crate) fn namespace<'a>(&'a self, wanted: Option<&'a str>) -> Result<&'a str> {
        if self.is_referent(wanted) {
            self.asked_for_caller.store(true, Ordering::Relaxed);
        }
        self.scope.resolve(wanted)
    }

    /// Name of the store.
    pub fn store(&self) -> &StoreName {
        &self.store
    }

    /// Whether a selector with this namespace can only be resolved for a caller: a
    /// ClusterSecretStore's selector without a namespace.
    pub fn is_referent(&self, namespace: Option<&str>) -> bool {
        self.scope.is_referent(namespace)
    }

    pub(crate) fn objects(&self) -> &dyn Objects {
        &*self.services.objects
    }

    /// The value of one key of a Secret.
    pub async fn secret(&self, selector: &SecretKeySelector) -> Result<SecretValue> {
        let namespace = self.namespace(selector.namespace.as_deref())?;
        let name = selector.name.as_deref().unwrap_or_default();
        let key = selector.key.as_deref().unwrap_or_default();
        let mut data = self
            .services
            .objects
            .secret(namespace, name)
            .await
            .map_err(|error| {
                credential_error(error, |text| {
                    format!(
                        "cannot get Kubernetes secret {name:?} from namespace {namespace:?}: {text}"
                    )
                })
            })?;
        data.remove(key).ok_or_else(|| {
            let keys = data.iter().map(|(key, _)| key);
            self.key_missing(key, (namespace, name), &keys.collect::<Vec<_>>())
        })
    }

    /// A key that a credential lacks. Users of a ClusterSecretStore read its messages in their own
    /// namespaces, so only a SecretStore lists the keys that are there.
    fn key_missing(&self, key: &str, (namespace, name): (&str, &str), keys: &[&str]) -> Error {
        let has = match (self.scope.is_cluster(), keys) {
            (true, _) => String::new(),
            (false, []) => ", which is empty".to_owned(),
            (false, keys) => format!(", which has {}", keys.join(", ")),
        };
        Error::invalid_spec(format!(
            "cannot find secret data for key: {key:?} in Secret {namespace}/{name}{has}; add the key, or \
             correct the reference"
        ))
    }

    /// A whole Secret with its labels, for providers that take only Secrets marked for them. The
    /// selector's key is not looked at.
    pub async fn labelled_secret(&self, selector: &SecretKeySelector) -> Result<LabelledSecret> {
        let namespace = self.namespace(selector.namespace.as_deref())?;
        let name = selector.name.as_deref().unwrap_or_default();
        let read = self.services.objects.labelled_secret(namespace, name).await;
        read.map_err(|error| credential_error(error, str::to_owned))
    }

    /// Annotations of a ServiceAccount.
    pub async fn service_account(
        &self,
        selector: &ServiceAccountSelector,
    ) -> Result<BTreeMap<String, String>> {
        let namespace = self.namespace(selector.namespace.as_deref())?;
        let read = self
            .services
            .objects
            .service_account(namespace, &selector.name)
            .await;
        read.map_err(|error| credential_error(error, str::to_owned))
    }

    /// A token of a ServiceAccount, for the selector's audiences and the provider's own.
    pub async fn service_account_token(
        &self,
        selector: &ServiceAccountSelector,
        audiences: &[String],
        lifetime: Duration,
    ) -> Result<SecretValue> {
        let namespace = self.namespace(selector.namespace.as_deref())?;
        let mut wanted = audiences.to_vec();
        wanted.extend(selector.audiences.iter().flatten().cloned());
        let request = TokenRequest {
            namespace,
            name: &selector.name,
            audiences: &wanted,
            lifetime,
        };
        let made = self.services.objects.token(request).await;
        made.map_err(|error| credential_error(error, str::to_owned))
    }

    /// An HTTP client with the given trust and identity.
    pub fn http(&self, tls: &Tls) -> Result<HttpClient> {
        let transport = self.services.transports.connect(tls)?;
        let last = Arc::clone(&self.last_request);
        Ok(HttpClient::new(transport)
            .with_time(self.time())
            .noting(last))
    }

    /// The last request of this connection, for the text of a call that runs out of time.
    pub fn last_request(&self) -> Arc<LastRequest> {
        Arc::clone(&self.last_request)
    }

    /// Opens and closes a TCP connection, for checks that must not send a request.
    pub async fn reach(&self, host: &str, port: u16) -> Result<()> {
        self.services.transports.reach(host, port).await
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        self.services.time.now()
    }

    /// The clock and timer, for layers and token caches.
    pub fn time(&self) -> Arc<dyn Time> {
        Arc::clone(&self.services.time)
    }

    /// Leave to use ambient identity, where the operator has it switched on.
    pub fn ambient(&self) -> Option<Ambient> {
        self.services.ambient.then_some(Ambient(()))
    }

    /// A setting of the whole operator, such as another address of a backend.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.services.variables.get(name)
    }

    /// State of the provider that all its connections share.
    pub fn shared<T: Any + Send + Sync + Default>(&self) -> Arc<T> {
        self.services.shared.get()
    }

    /// Has something done before the process ends, such as revoking a token.
    pub fn at_end(&self, farewell: impl FnOnce() -> BoxFuture<'static, ()> + Send + 'static) {
        self.services.shared.at_end(farewell);
    }

    /// Data of a Secret beside the credentials, such as a policy that a push names.
    pub async fn secret_in(&self, namespace: &str, name: &str) -> Result<SecretMap> {
        self.scope.check_referent(Some(namespace))?;
        let read = self.services.objects.secret(namespace, name).await;
        read.map_err(|error| credential_error(error, str::to_owned))
    }

    /// Data of a ConfigMap beside the credentials.
    pub async fn config_map_in(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<BTreeMap<String, String>> {
        self.scope.check_referent(Some(namespace))?;
        let read = self.services.objects.config_map(namespace, name).await;
        read.map_err(|error| credential_error(error, str::to_owned))
    }

    /// Counts one request to the backend and hands its result on.
    pub fn counted<T>(
        &self,
        provider: &'static str,
        call: &'static str,
        result: Result<T>,
    ) -> Result<T> {
        let outcome = if result.is_ok() {
            CallOutcome::Success
        } else {
            CallOutcome::Error
        };
        self.services.calls.record(provider, call, outcome);
        result
    }
}

impl fmt::Debug for Ctx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ctx")
            .field("store", &self.store)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

/// A missing credential object is the user's to mend. It must never read as a missing remote
/// secret, or `deletionPolicy` would act on it.
pub(crate) fn credential_error(error: Error, rewrite: impl FnOnce(&str) -> String) -> Error {
    let kind = match error.kind() {
        ErrorKind::NotFound | ErrorKind::Tombstoned(_) => ErrorKind::InvalidSpec,
        kind => kind.clone(),
    };
    Error::new(kind, rewrite(&error.to_string())).with_source(error)
}

#[cfg(test)]
mod tests;
