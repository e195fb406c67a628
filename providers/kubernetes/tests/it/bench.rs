//! A store on the server in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use lockstep_provider_api::conformance::{NAMESPACE, TestServices, services};
use lockstep_provider_api::context::Services;
use lockstep_provider_api::http::{Tls, Transport, Transports};
use lockstep_provider_api::{Ctx, Entry, Result, Scope, Shared, SharedStore, StoreName, Variables};
use lockstep_provider_kubernetes::Kubernetes;
use serde_json::{Value, json};

use crate::server::Server;

/// Namespace the stores of these tests read.
pub(crate) const REMOTE: &str = "remote";

/// A server, credentials and what was asked of them.
pub(crate) struct Bench {
    pub(crate) server: Server,
    pub(crate) services: TestServices,
    tls: Arc<Dialler>,
}

/// Remembers with which trust and identity connections were made.
struct Dialler {
    transport: Arc<dyn Transport>,
    asked: Mutex<Vec<Tls>>,
}

impl Transports for Dialler {
    fn connect(&self, tls: &Tls) -> Result<Arc<dyn Transport>> {
        self.asked.lock().unwrap().push(tls.clone());
        Ok(Arc::clone(&self.transport))
    }
}

impl Bench {
    /// A server with no Secrets, and a ServiceAccount `reader` beside the store.
    pub(crate) fn new() -> Self {
        let server = Server::default();
        let services = services();
        let reader = BTreeMap::new();
        services
            .objects
            .put_service_account(NAMESPACE, "reader", reader);
        let tls = Arc::new(Dialler {
            transport: server.transport(),
            asked: Mutex::default(),
        });
        Self {
            server,
            services,
            tls,
        }
    }

    /// A store that signs in as the ServiceAccount `reader`.
    pub(crate) async fn store(&self) -> SharedStore {
        self.connect(Self::spec(), Self::namespaced())
            .await
            .unwrap()
    }

    pub(crate) async fn connect(&self, spec: Value, scope: Scope) -> Result<SharedStore> {
        Entry::of::<Kubernetes>()
            .connect(spec, self.ctx(scope))
            .await
    }

    pub(crate) fn ctx(&self, scope: Scope) -> Ctx {
        let shared = self.services.shared();
        let services = Services {
            objects: Arc::clone(&shared.objects),
            transports: Arc::clone(&self.tls) as _,
            time: Arc::clone(&shared.time),
            calls: Arc::clone(&shared.calls),
            ambient: false,
            variables: Variables::default(),
            shared: Shared::default(),
        };
        let store = StoreName {
            namespace: (!scope.is_cluster()).then(|| NAMESPACE.to_owned()),
            name: "store".to_owned(),
        };
        Ctx::new(Arc::new(services), store, scope)
    }

    /// Trust and identity of the connections made so far.
    pub(crate) fn dialled(&self) -> Vec<Tls> {
        self.tls.asked.lock().unwrap().clone()
    }

    /// The `Authorization` header of the last request.
    pub(crate) fn authorization(&self) -> Option<String> {
        self.server.seen().last()?.authorization.clone()
    }

    pub(crate) fn namespaced() -> Scope {
        Scope::Namespaced {
            namespace: NAMESPACE.to_owned(),
        }
    }

    pub(crate) fn spec() -> Value {
        Self::spec_with(json!({ "serviceAccount": { "name": "reader" } }))
    }

    pub(crate) fn spec_with(auth: Value) -> Value {
        json!({
            "server": { "url": "https://api.test:6443" },
            "auth": auth,
            "remoteNamespace": REMOTE,
        })
    }
}
