//! The edges of the program for tests: objects in memory, a clock under control, a wire that can
//! fail, and a log of counted calls.

use std::sync::Arc;

use parking_lot::Mutex;

use super::documented::is_documented;
use super::objects::MemoryObjects;
use super::time::ManualTime;
use super::transport::Wire;
use crate::context::{CallOutcome, CallRecorder, Ctx, Scope, Services, StoreName};
use crate::http::Transport;
use crate::settings::Variables;
use crate::shared::Shared;

/// Namespace the test contexts live in.
pub const NAMESPACE: &str = "conformance";

/// Services for tests, with a handle on every edge.
pub struct TestServices {
    /// Credential objects.
    pub objects: Arc<MemoryObjects>,
    /// The clock.
    pub time: ManualTime,
    /// The wire.
    pub wire: Wire,
    /// Calls that were counted.
    pub calls: Arc<CallLog>,
}

/// Services with no objects, a clock that stands still and a wire to nowhere.
pub fn services() -> TestServices {
    TestServices {
        objects: Arc::default(),
        time: ManualTime::new(),
        wire: Wire::unplugged(),
        calls: Arc::default(),
    }
}

impl TestServices {
    /// The same services with something at the other end of the wire.
    pub fn plugged(mut self, transport: Arc<dyn Transport>) -> Self {
        self.wire = Wire::new(transport);
        self
    }

    /// The same services with another clock.
    pub fn timed(mut self, time: ManualTime) -> Self {
        self.time = time;
        self
    }

    /// The services as providers take them.
    pub fn shared(&self) -> Arc<Services> {
        Arc::new(Services {
            objects: Arc::clone(&self.objects) as _,
            transports: Arc::new(self.wire.clone()),
            time: Arc::new(self.time.clone()),
            calls: Arc::clone(&self.calls) as _,
            ambient: false,
            variables: Variables::default(),
            shared: Shared::default(),
        })
    }

    /// A context for a store of this name in the namespace [`NAMESPACE`].
    pub fn ctx(&self, store: &str) -> Ctx {
        let scope = Scope::Namespaced {
            namespace: NAMESPACE.to_owned(),
        };
        self.ctx_in(store, scope)
    }

    /// A context for a store of this name and scope.
    pub fn ctx_in(&self, store: &str, scope: Scope) -> Ctx {
        ctx(self.shared(), store, scope)
    }
}

/// A context for a store of this name and scope over any services.
pub(super) fn ctx(services: Arc<Services>, store: &str, scope: Scope) -> Ctx {
    let namespace = match &scope {
        Scope::Namespaced { namespace } | Scope::Used { namespace } => Some(namespace.clone()),
        Scope::Cluster { .. } => None,
    };
    let name = StoreName {
        namespace,
        name: store.to_owned(),
    };
    Ctx::new(services, name, scope)
}

/// Remembers which calls a provider counted.
#[derive(Default)]
pub struct CallLog(Mutex<Vec<(&'static str, &'static str, CallOutcome)>>);

impl CallLog {
    /// Provider, call and outcome of everything counted so far.
    pub fn taken(&self) -> Vec<(&'static str, &'static str, CallOutcome)> {
        let log = self.0.lock();
        log.clone()
    }
}

impl CallRecorder for CallLog {
    fn record(&self, provider: &'static str, call: &'static str, outcome: CallOutcome) {
        assert!(
            is_documented(provider, call),
            "docs/metrics.md does not list the call {call} of {provider}"
        );
        let mut log = self.0.lock();
        log.push((provider, call, outcome));
    }
}
