//! Runs the operator's own reconciles over a scene, and hands back what each of them would have done.
//! The client of the stores rehearses: nothing is written to a backend either.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use jiff::Timestamp;
use lockstep_api::{ExternalSecret, PushSecret};
use lockstep_plan::external_secret::{ObservedTarget, decide};
use lockstep_plan::store::{CheckOutcome, report};
use lockstep_plan::{Cause, Failure, Randomness, Salt, Settings};
use lockstep_provider_api::{Services, Shared};
use lockstep_reconcile::external_secret::{Reconciler, Shares};
use lockstep_reconcile::{Planning, push_secret, store};
use lockstep_remote::{Connections, RemoteClient, StoreRecord};
use lockstep_runtime::clock::{Stopwatch, SystemTime};
use lockstep_runtime::supervise::{Outcome, supervise};
use lockstep_runtime::transport::{self, HttpTransports};
use lockstep_toolbox::cluster::told;

use crate::call_count::CallCount;
use crate::decided::Decided;
use crate::intent::{Intent, RemoteIntent};
use crate::observe::Look;
use crate::provider_objects::SceneObjects;
use crate::pushes::Pushes;
use crate::read_only::{NOT_GENERATED, ReadOnly};
use crate::scene::Scene;
use crate::{Edges, OperatorFlags};

/// Longest time one check or run may take.
const DEADLINE: Duration = Duration::from_mins(2);

/// Runs reconciles over one scene.
pub(crate) struct Engine {
    pub(crate) scene: Arc<Scene>,
    pub(crate) settings: Settings,
    pub(crate) calls: Arc<CallCount>,
    pub(crate) remote: Arc<RemoteClient>,
    services: Arc<Services>,
    pushes: Arc<Pushes>,
    planning: Planning,
}

/// What a run of an ExternalSecret would have done.
pub(crate) struct Run {
    pub(crate) decided: Decided,
    pub(crate) intents: Vec<Intent>,
    pub(crate) failure: Option<Failure>,
    /// The shared reads that keep it fresh, where they can.
    pub(crate) shares: Option<Shares>,
    pub(crate) took: Duration,
}

/// What a run of a PushSecret would have done.
pub(crate) struct PushRun {
    pub(crate) intents: Vec<Intent>,
    pub(crate) remote: Vec<RemoteIntent>,
    pub(crate) failure: Option<Failure>,
}

impl Engine {
    pub(crate) fn new(
        scene: Scene,
        edges: Edges,
        operator: &OperatorFlags,
    ) -> anyhow::Result<Self> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).context("random bytes from the system")?;
        let settings = Settings {
            class: operator.controller_class.clone(),
            // Everything was read before anything runs.
            store_patience: Duration::ZERO,
            generic_targets: operator.unsafe_allow_generic_targets,
            random: Randomness::from_fn(|bytes| {
                getrandom::fill(bytes).map_err(|error| error.to_string())
            }),
            salt: Salt::new(random),
            ..Settings::default()
        };
        let (scene, calls) = (Arc::new(scene), Arc::new(CallCount::default()));
        let transports = transport::Settings {
            proxy: edges.proxy,
            ..transport::Settings::default()
        };
        let services = Arc::new(Services {
            objects: Arc::new(SceneObjects::new(Arc::clone(&scene))),
            transports: Arc::new(HttpTransports::new(transports)),
            time: Arc::new(SystemTime),
            calls: Arc::clone(&calls) as _,
            ambient: true,
            variables: edges.variables,
            shared: Shared::default(),
        });
        let connections = Connections::new(Arc::clone(&services));
        let remote = RemoteClient::new(connections, settings.salt);
        let pushes = Pushes::shared();
        remote.rehearse(Arc::clone(&pushes) as _);
        Ok(Self {
            scene,
            settings,
            calls,
            remote,
            services,
            pushes,
            planning: Planning::default(),
        })
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.services.time.now()
    }

    /// Checks a store and keeps what came of it.
    pub(crate) async fn check_store(&self, record: &StoreRecord) {
        let check = store::check(record, self.remote.connections(), &self.settings);
        let outcome = match supervise(DEADLINE, check).await {
            Outcome::Done(Some(outcome)) => outcome,
            Outcome::Done(None) => return,
            Outcome::Panicked(_) | Outcome::TimedOut => {
                let error = lockstep_provider_api::Error::unreachable("the check was cut off");
                CheckOutcome::NotConnected(error)
            }
        };
        let plan = report(record.object(), outcome, &self.settings, self.now());
        if let Some(status) = plan.status {
            self.scene.note_check(&record.key, status);
        }
    }

    /// Runs an ExternalSecret.
    pub(crate) async fn run(&self, object: ExternalSecret, look: Look) -> Run {
        let (clock, now) = (Stopwatch::start(), self.now());
        let world = ReadOnly::new(&self.scene, &self.settings.class);
        let observed = self.scene.observe(object, (look, now), &self.settings);
        let mut observed = match observed.await {
            Ok(observed) => observed,
            Err(error) => {
                let failure = Failure::api("could not read the target", told(&error));
                return Run::failed(failure, clock.elapsed());
            }
        };
        let verdict = decide(&observed, &self.settings, now);
        let decided = Decided::of(&verdict.decision);
        if look == Look::Compared
            && matches!(decided, Decided::Fetched { .. })
            && matches!(observed.target, ObservedTarget::Row(_))
        {
            // The row would do for the operator; here the whole Secret is compared.
            observed.target = ObservedTarget::Unlabelled;
        }
        let reconciler = Reconciler {
            world: &world,
            remote: &self.remote,
            settings: &self.settings,
            planning: &self.planning,
        };
        let run = reconciler.reconcile(observed, verdict, now);
        let (failure, shares) = match supervise(DEADLINE, Box::pin(run)).await {
            Outcome::Done(ended) => {
                if ended.present {
                    self.scene.has_its_data(&ended.object);
                }
                if ended.report.status.is_some() {
                    world.note(Intent::Status);
                }
                (ended.report.outcome.failure, ended.shares)
            }
            Outcome::Panicked(_) | Outcome::TimedOut => (Some(cut_off()), None),
        };
        Run {
            decided,
            intents: world.into_intents(),
            failure,
            shares,
            took: clock.elapsed(),
        }
    }

    /// Runs a PushSecret. Only one may run at a time: what it would push is collected in one place.
    pub(crate) async fn run_push(&self, object: PushSecret, look: Look) -> PushRun {
        let world = ReadOnly::new(&self.scene, &self.settings.class);
        let observed = self.scene.observe_push(object, look);
        let reconciler = push_secret::Reconciler {
            world: &world,
            remote: &self.remote,
            settings: &self.settings,
            planning: &self.planning,
        };
        drop(self.pushes.take());
        let now = self.now();
        let verdict = lockstep_plan::push_secret::decide(&observed, &self.settings, now);
        let run = reconciler.reconcile(observed, verdict, now);
        let failure = match supervise(DEADLINE, Box::pin(run)).await {
            Outcome::Done(ended) => {
                if ended.report.status.is_some() {
                    world.note(Intent::Status);
                }
                ended.report.outcome.failure
            }
            Outcome::Panicked(_) | Outcome::TimedOut => Some(cut_off()),
        };
        PushRun {
            intents: world.into_intents(),
            remote: self.pushes.take(),
            failure,
        }
    }
}

impl Run {
    fn failed(failure: Failure, took: Duration) -> Self {
        Self {
            decided: Decided::Failed,
            intents: Vec::new(),
            failure: Some(failure),
            shares: None,
            took,
        }
    }

    /// Whether it ended because a generator would have begun.
    pub(crate) fn would_generate(&self) -> bool {
        would_generate(self.failure.as_ref())
    }
}

impl PushRun {
    /// Whether it ended because a generator would have begun.
    pub(crate) fn would_generate(&self) -> bool {
        would_generate(self.failure.as_ref())
    }
}

fn would_generate(failure: Option<&Failure>) -> bool {
    failure.is_some_and(|failure| failure.to_string().contains(NOT_GENERATED))
}

fn cut_off() -> Failure {
    let text = "the run was cut off by its deadline or by a fault of the program";
    Failure::new("could not run", Cause::INTERNAL, text)
}
