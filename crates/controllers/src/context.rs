//! What the reconciles of all kinds work with: one part for each concept. Functions take the part they
//! need, and the whole only where they touch several.

mod live_settings;

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use lockstep_index::{Index, ObjectKey};
use lockstep_provider_api::context::Time;
use lockstep_reconcile::Planning;
use lockstep_remote::RemoteClient;

use crate::api_server::ApiServer;
use crate::schedule::Schedule;
use crate::watch_scope::WatchScope;

pub(crate) use live_settings::LiveSettings;

/// Shared by all reconciles of the process.
pub(crate) struct Context {
    /// What the cluster looks like.
    pub(crate) index: Index,
    /// Calls to stores.
    pub(crate) remote: Arc<RemoteClient>,
    /// Reads, writes and events of the API server.
    pub(crate) api: ApiServer,
    /// Queues, and what decides when objects run beside them.
    pub(crate) schedule: Schedule,
    /// What is watched, and the tasks that watch.
    pub(crate) watches: WatchScope,
    /// What decisions depend on.
    pub(crate) settings: LiveSettings,
    /// Where plans are made.
    pub(crate) planning: Planning,
    /// The clock.
    pub(crate) time: Arc<dyn Time>,
}

impl Context {
    pub(crate) fn now(&self) -> Timestamp {
        self.time.now()
    }

    /// Requeues objects because something they read from changed. Answers to reads that began before
    /// `asked` are too old for them.
    pub(crate) fn input_changed(&self, keys: Vec<ObjectKey>, asked: Timestamp) {
        self.carry_out(self.index.inputs_changed(keys, asked));
    }
}

/// Duration of a reconcile for the metrics endpoint, which has it in nanoseconds.
pub(crate) fn nanos_since(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
