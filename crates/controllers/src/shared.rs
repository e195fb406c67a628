//! What all controllers of the process share: the mirror, connections, queues and the edges.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use kube::Client;
use lockstep_engine::{Connections, StoreRecord, StoreSource};
use lockstep_plan::{Settings, StoreKey, StoreLookup, StoreView};
use lockstep_provider::Services;
use lockstep_runtime::apply::Writer;
use lockstep_runtime::dispatch::Handle;
use lockstep_runtime::events::{Events, Recorder};

use crate::generic::GenericTargets;
use crate::key::ObjectKey;
use crate::mirror::Mirror;
use crate::sources::TemplateSources;

/// Shared by all runs.
pub(crate) struct Shared {
    pub(crate) mirror: Mirror,
    pub(crate) connections: Connections,
    pub(crate) client: Client,
    pub(crate) writer: Writer,
    pub(crate) services: Arc<Services>,
    pub(crate) queues: Queues,
    pub(crate) recorders: Recorders,
    pub(crate) generic: GenericTargets,
    pub(crate) sources: TemplateSources,
    /// Only this namespace, where one is given.
    pub(crate) namespace: Option<String>,
    settings: [Arc<Settings>; 2],
    prunes_generation: AtomicBool,
}

/// Queues of the controllers.
pub(crate) struct Queues {
    pub(crate) external_secrets: Handle<ObjectKey>,
    pub(crate) secret_stores: Handle<StoreKey>,
    pub(crate) cluster_stores: Handle<StoreKey>,
}

/// Event recorders, one a component name.
pub(crate) struct Recorders {
    pub(crate) external_secret: Recorder,
    pub(crate) secret_store: Recorder,
    pub(crate) cluster_store: Recorder,
    /// What all of them send to.
    pub(crate) all: Events,
}

impl Shared {
    pub(crate) fn new(
        client: Client,
        services: Arc<Services>,
        queues: Queues,
        recorders: Recorders,
        settings: &Settings,
    ) -> Self {
        let with = |observed_generation| {
            Arc::new(Settings {
                observed_generation,
                ..settings.clone()
            })
        };
        Self {
            mirror: Mirror::default(),
            connections: Connections::new(Arc::clone(&services)),
            writer: Writer::new(client.clone()),
            client,
            services,
            queues,
            recorders,
            generic: GenericTargets::default(),
            sources: TemplateSources::default(),
            namespace: None,
            settings: [with(settings.observed_generation), with(false)],
            prunes_generation: AtomicBool::new(false),
        }
    }

    /// Settings for a run.
    pub(crate) fn settings(&self) -> &Settings {
        let pruned = self.prunes_generation.load(Ordering::Relaxed);
        &self.settings[usize::from(pruned)]
    }

    /// Notes that the installed CRDs drop `status.observedGeneration`: it is not written again.
    pub(crate) fn note_pruned_generation(&self) {
        if !self.prunes_generation.swap(true, Ordering::Relaxed) {
            tracing::info!("the installed CRDs keep no status.observedGeneration; it is left out");
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.services.time.now()
    }
}

impl StoreLookup for Shared {
    fn store(&self, key: &StoreKey) -> Option<Arc<StoreView>> {
        self.mirror
            .stores()
            .get(key)
            .map(|record| Arc::clone(&record.view))
    }
}

impl StoreSource for Shared {
    fn record(&self, key: &StoreKey) -> Option<Arc<StoreRecord>> {
        self.mirror.stores().get(key)
    }
}
