//! What all controllers of the process share: the index, connections, queues and the edges.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

use jiff::Timestamp;
use kube::Client;
use lockstep_index::{Index, ObjectKey, Reader};
use lockstep_plan::{Settings, StoreKey, StoreKind, StoreLookup, StoreView};
use lockstep_provider_api::Services;
use lockstep_reconcile::{Planning, Stores};
use lockstep_remote::{Connections, RemoteClient, StoreRecord};
use lockstep_runtime::apply::Writer;
use lockstep_runtime::background::Background;
use lockstep_runtime::dispatch::Handle;
use lockstep_runtime::events::{Events, Recorder};
use tokio::sync::watch;

use crate::config::Config;
use crate::deletion_guard::DeletionGuard;
use crate::floor::Floor;
use crate::manifest_kinds::ManifestKinds;
use crate::shared_reads::SharedReads;
use crate::wanted_inputs::WantedInputs;

/// Shared by all runs.
pub(crate) struct Shared {
    pub(crate) index: Index,
    pub(crate) reads: Arc<RemoteClient>,
    pub(crate) planning: Planning,
    /// Keeps watches running.
    pub(crate) background: Background,
    pub(crate) sharing: SharedReads,
    pub(crate) floor: Floor,
    pub(crate) deletions: DeletionGuard,
    pub(crate) inputs: WantedInputs,
    /// Itself, for tasks that outlive the call they are started in.
    myself: Weak<Self>,
    pub(crate) client: Client,
    pub(crate) writer: Writer,
    pub(crate) services: Arc<Services>,
    pub(crate) queues: Queues,
    pub(crate) recorders: Recorders,
    pub(crate) manifests: ManifestKinds,
    /// Only this namespace, where one is given.
    pub(crate) namespace: Option<String>,
    /// A new value makes every watch list again.
    pub(crate) relist: watch::Sender<u64>,
    settings: [Arc<Settings>; 2],
    prunes_generation: AtomicBool,
}

/// Queues of the controllers.
pub(crate) struct Queues {
    pub(crate) external_secrets: Handle<ObjectKey>,
    pub(crate) push_secrets: Handle<ObjectKey>,
    pub(crate) secret_stores: Handle<StoreKey>,
    pub(crate) cluster_stores: Handle<StoreKey>,
    /// By name.
    pub(crate) cluster_external_secrets: Handle<String>,
    /// By name.
    pub(crate) cluster_push_secrets: Handle<String>,
}

/// Event recorders, one a component name.
pub(crate) struct Recorders {
    pub(crate) external_secret: Recorder,
    pub(crate) push_secret: Recorder,
    pub(crate) secret_store: Recorder,
    pub(crate) cluster_store: Recorder,
    pub(crate) cluster_external_secret: Recorder,
    pub(crate) cluster_push_secret: Recorder,
    /// Objects of kinds that are switched off.
    pub(crate) not_served: Recorder,
    /// What all of them send to.
    pub(crate) all: Events,
}

impl Shared {
    pub(crate) fn new(
        client: Client,
        (services, queues): (Arc<Services>, Queues),
        (recorders, background): (Recorders, Background),
        config: &Config,
    ) -> Arc<Self> {
        Arc::new_cyclic(|myself| {
            Self::build(
                client,
                (services, queues, recorders, background),
                config,
                Weak::clone(myself),
            )
        })
    }

    fn build(
        client: Client,
        (services, queues, recorders, background): (Arc<Services>, Queues, Recorders, Background),
        config: &Config,
        myself: Weak<Self>,
    ) -> Self {
        let settings = &Settings {
            started: Some(services.time.now()),
            ..config.settings.clone()
        };
        let with = |observed_generation| {
            Arc::new(Settings {
                observed_generation,
                ..settings.clone()
            })
        };
        let reads = RemoteClient::new(Connections::new(Arc::clone(&services)), settings.salt);
        if config.probe_versions {
            reads.allow_version_probes();
        }
        Self {
            index: Index::new(settings.salt),
            reads,
            planning: Planning::default(),
            background,
            sharing: SharedReads::default(),
            floor: Floor::default(),
            deletions: DeletionGuard::new(config.deletion_guard),
            inputs: WantedInputs::default(),
            myself,
            writer: Writer::new(client.clone()),
            client,
            services,
            queues,
            recorders,
            manifests: ManifestKinds::default(),
            namespace: config.namespace.clone(),
            relist: watch::Sender::new(0),
            settings: [with(settings.observed_generation), with(false)],
            prunes_generation: AtomicBool::new(false),
        }
    }

    /// Settings for a run.
    pub(crate) fn settings(&self) -> &Settings {
        let pruned = self.prunes_generation.load(Ordering::Relaxed);
        &self.settings[usize::from(pruned)]
    }

    /// Compares a written `status.observedGeneration` with what came back: where the installed CRDs drop
    /// it, it is not written again.
    pub(crate) fn note_generation(&self, written: Option<i64>, kept: Option<i64>) {
        let pruned = written.is_some() && kept.is_none();
        if pruned && !self.prunes_generation.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "the installed CRDs are another version's: they keep no status.observedGeneration, so \
                 tools that wait for a sync may go on too early; to put ours in place: lockstep crds | \
                 kubectl apply --server-side --force-conflicts -f -"
            );
        }
    }

    /// Settings of a watch of everything.
    pub(crate) fn watch_settings(&self) -> lockstep_runtime::watch::Settings {
        lockstep_runtime::watch::Settings {
            relist: Some(self.relist.subscribe()),
            ..lockstep_runtime::watch::Settings::default()
        }
    }

    /// A handle for a task of its own; `None` only while the process ends.
    pub(crate) fn handle(&self) -> Option<Arc<Self>> {
        self.myself.upgrade()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.services.time.now()
    }

    /// Runs objects because something they read from changed. Answers to reads that began before
    /// `asked` are too old for them.
    pub(crate) fn input_changed(&self, keys: Vec<ObjectKey>, asked: Timestamp) {
        self.carry_out(self.index.inputs_changed(keys, asked));
    }

    /// Until when an object waits for the check of a store that may be about to turn ready or unready,
    /// so that one applied together with its store does not report a failure first, and nothing is
    /// read through a spec that turns out to be bad.
    pub(crate) fn hold(
        &self,
        user: &Reader,
        stores: impl FnOnce() -> Vec<StoreKey>,
        now: Timestamp,
    ) -> Option<Timestamp> {
        if !self.settings().flood_gate || !self.index.stores().any_checked() {
            return None;
        }
        let stores = stores();
        self.index.stores().hold(user, &stores, now)
    }

    /// Notes that the remote secrets of an object are there.
    pub(crate) fn is_present(&self, key: &ObjectKey) {
        if !self.deletions.is_idle() {
            let stores = self.index.external_secrets().stores_named(key);
            self.deletions.present(key, &stores, self.now());
        }
    }

    /// Runs an object that has to look after itself from now on.
    pub(crate) fn look_again(&self, keys: Vec<ObjectKey>) {
        let now = self.now();
        for key in keys {
            self.queues.external_secrets.due(key, now);
        }
    }
}

/// Duration of a run for the metrics endpoint, which has it in nanoseconds.
pub(crate) fn nanos_since(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

impl StoreLookup for Shared {
    fn store(&self, key: &StoreKey) -> Option<Arc<StoreView>> {
        self.index
            .stores()
            .get(key)
            .map(|record| Arc::clone(&record.view))
    }

    fn stores(&self, kind: StoreKind, namespace: &str) -> Vec<Arc<StoreView>> {
        let stores = self.index.stores();
        let near = stores.of_kind(kind).filter(|record| {
            let own = record.key.namespace.as_deref();
            own.is_none_or(|own| own == namespace)
        });
        near.map(|record| Arc::clone(&record.view)).collect()
    }
}

impl Stores for Shared {
    fn record(&self, key: &StoreKey) -> Option<Arc<StoreRecord>> {
        self.index.stores().get(key)
    }
}
