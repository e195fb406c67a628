//! Starts everything: one watch a kind, one dispatcher a controller, until a stop is asked for.

use std::sync::{Arc, Weak};
use std::time::Duration;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::core::PartialObjectMeta;
use kube::{Api, Client, Resource};
use lockstep_api::keys::{LABEL_MANAGED, LABEL_MANAGED_VALUE};
use lockstep_api::{
    ClusterExternalSecret, ClusterPushSecret, ClusterSecretStore, ExternalSecret, GeneratorState,
    PushSecret, SecretStore,
};
use lockstep_index::{Event, ObjectKey, Seen};
use lockstep_plan::StoreKind;
use lockstep_provider_api::Services;
use lockstep_remote::RemoteObserver;
use lockstep_runtime::background::Background;
use lockstep_runtime::dispatch::{self, Dispatcher, Handle};
use lockstep_runtime::events::Events;
use lockstep_runtime::health::Readiness;
use lockstep_runtime::metrics::Metrics;
use lockstep_runtime::schedule::Job;
use lockstep_runtime::shutdown::Shutdown;
use lockstep_runtime::watch::{self, Guarded, watch};

use crate::config::Config;
use crate::gate::{self, Gate};
use crate::gauges::Gauges;
use crate::scrape::{ExternalSecretRows, FanOutRows, PushSecretRows, StoreRows};
use crate::shared::{Queues, Recorders, Shared};
use crate::staleness::ByStore;
use crate::watch_loop::follow;
use crate::{
    external_secret, fan_out, generator_state, input_watches, push_secret, revision, sharing,
    store, unserved,
};

/// How long the last events may take after a stop was asked for.
const EVENTS_GRACE: Duration = Duration::from_secs(1);

/// What the controllers run on.
pub struct Edges {
    /// Client of the API server.
    pub client: Client,
    /// What providers may touch.
    pub services: Arc<Services>,
    /// Series of the process.
    pub metrics: Arc<Metrics>,
    /// What is waited for.
    pub readiness: Readiness,
}

/// Runs all controllers until a stop is asked for.
pub async fn run(config: Config, edges: Edges, shutdown: Shutdown) {
    let controllers = Controllers::new(&config, &edges);
    let shared = controllers.shared(&config, &edges);
    publish_series(&shared, &config, &edges.metrics);
    let observer: Weak<dyn RemoteObserver> = Arc::<Shared>::downgrade(&shared);
    shared.reads.observe(observer);
    let reads = Arc::clone(&shared.reads);
    shared
        .background
        .keep("probes", move || Arc::clone(&reads).keep_probing());
    let own = Arc::clone(&shared);
    shared
        .background
        .keep("revision", move || revision::keep_looking(Arc::clone(&own)));
    let own = Arc::clone(&shared);
    shared.background.keep("input watches", move || {
        input_watches::keep_starting(Arc::clone(&own))
    });
    let gates = start_watches(&shared, &config, &edges);
    watch_generator_states(
        &shared,
        controllers.generator_states.handle(),
        &config,
        &edges,
    );
    unserved::kinds::start(&shared, &config);
    controllers.run(shared, &config, gates, shutdown).await;
}

struct Controllers {
    external_secrets: Dispatcher<ObjectKey>,
    push_secrets: Dispatcher<ObjectKey>,
    secret_stores: Dispatcher<lockstep_plan::StoreKey>,
    cluster_stores: Dispatcher<lockstep_plan::StoreKey>,
    cluster_external_secrets: Dispatcher<String>,
    cluster_push_secrets: Dispatcher<String>,
    generator_states: Dispatcher<ObjectKey>,
}

impl Controllers {
    fn new(config: &Config, edges: &Edges) -> Self {
        let settings = |name| {
            let time = Arc::clone(&edges.services.time);
            let settings = dispatch::DispatchSettings::new(edges.metrics.controller(name), time);
            dispatch::DispatchSettings {
                concurrency: config.concurrency,
                ..settings
            }
        };
        Self {
            external_secrets: Dispatcher::new(settings("externalsecret")),
            push_secrets: Dispatcher::new(settings("pushsecret")),
            secret_stores: Dispatcher::new(settings("secretstore")),
            cluster_stores: Dispatcher::new(settings("clustersecretstore")),
            cluster_external_secrets: Dispatcher::new(settings("clusterexternalsecret")),
            cluster_push_secrets: Dispatcher::new(settings("clusterpushsecret")),
            generator_states: Dispatcher::new(settings("generatorstate")),
        }
    }

    fn shared(&self, config: &Config, edges: &Edges) -> Arc<Shared> {
        let queues = Queues {
            external_secrets: self.external_secrets.handle(),
            push_secrets: self.push_secrets.handle(),
            secret_stores: self.secret_stores.handle(),
            cluster_stores: self.cluster_stores.handle(),
            cluster_external_secrets: self.cluster_external_secrets.handle(),
            cluster_push_secrets: self.cluster_push_secrets.handle(),
        };
        let background = Background::new(Arc::clone(&edges.metrics), edges.readiness.clone());
        let time = Arc::clone(&edges.services.time);
        let events = Events::start(&edges.client, time, &background);
        let recorders = Recorders {
            external_secret: events.recorder("external-secrets"),
            push_secret: events.recorder("pushsecret"),
            secret_store: events.recorder("secret-store"),
            cluster_store: events.recorder("cluster-secret-store"),
            cluster_external_secret: events.recorder("cluster-external-secret"),
            cluster_push_secret: events.recorder("cluster-push-secret"),
            not_served: events.recorder("external-secrets"),
            all: events,
        };
        let services = Arc::clone(&edges.services);
        let client = edges.client.clone();
        Shared::new(client, (services, queues), (recorders, background), config)
    }

    async fn run(self, shared: Arc<Shared>, config: &Config, gates: Gates, shutdown: Shutdown) {
        let store_run = |dispatcher: Dispatcher<_>, enabled: bool| {
            let (shared, shutdown) = (Arc::clone(&shared), shutdown.clone());
            async move {
                if enabled {
                    let run = move |job: Job<_>| store::run(Arc::clone(&shared), job.key);
                    dispatcher.run(run, shutdown).await;
                }
            }
        };
        let secret_stores = store_run(self.secret_stores, config.settings.secret_stores);
        let cluster_stores = store_run(self.cluster_stores, config.settings.cluster_stores);
        let push_secrets = async {
            if !config.settings.push_secrets || !gates.pushes_opened(&shutdown).await {
                return;
            }
            let (shared, own) = (Arc::clone(&shared), Arc::clone(&shared));
            let run = move |job: Job<_>| push_secret::run(Arc::clone(&shared), job.key);
            let claim_of = move |key: &ObjectKey| Some(own.index.push_secrets().claim(key));
            let dispatcher = self.push_secrets.by_claim(Arc::new(claim_of));
            dispatcher.run(run, shutdown.clone()).await;
        };
        let cluster_external_secrets = fan_out_when::<ClusterExternalSecret>(
            async { config.cluster_external_secrets && gates.fan_out_opened(&shutdown).await },
            self.cluster_external_secrets,
            (&shared, &shutdown),
        );
        let pushes = config.cluster_push_secrets && config.settings.push_secrets;
        let cluster_push_secrets = fan_out_when::<ClusterPushSecret>(
            async { pushes && gates.push_fan_out_opened(&shutdown).await },
            self.cluster_push_secrets,
            (&shared, &shutdown),
        );
        let generator_states = {
            let own = Arc::clone(&shared);
            let run = move |job: Job<_>| generator_state::run(Arc::clone(&own), job.key);
            self.generator_states.run(run, shutdown.clone())
        };
        let external_secrets = async {
            tokio::select! {
                () = gates.opened() => unserved::log_stores(&shared),
                () = shutdown.requested() => return,
            }
            let (shared, own) = (Arc::clone(&shared), Arc::clone(&shared));
            let reads = sharing::run(Arc::clone(&shared), shutdown.clone());
            let run = move |job| external_secret::run(Arc::clone(&shared), job);
            let claim_of = move |key: &ObjectKey| Some(own.index.external_secrets().claim(key));
            let dispatcher = self.external_secrets.by_claim(Arc::new(claim_of));
            let objects = dispatcher.run(run, shutdown.clone());
            futures_util::join!(reads, objects);
        };
        futures_util::join!(
            secret_stores,
            cluster_stores,
            external_secrets,
            push_secrets,
            cluster_external_secrets,
            cluster_push_secrets,
            generator_states
        );
        shared.recorders.all.flush(EVENTS_GRACE).await;
    }
}

/// Reconciles the objects of a cluster kind once its gate is open; a closed one never opens.
async fn fan_out_when<K: fan_out::FanOut>(
    opened: impl Future<Output = bool>,
    dispatcher: Dispatcher<String>,
    (shared, shutdown): (&Arc<Shared>, &Shutdown),
) {
    if !opened.await {
        return;
    }
    let shared = Arc::clone(shared);
    let run = move |job: Job<_>| fan_out::run::<K>(Arc::clone(&shared), job.key);
    dispatcher.run(run, shutdown.clone()).await;
}

/// Gates of the watches: ExternalSecrets run when what they depend on was listed.
#[derive(Default)]
struct Gates {
    external_secrets: Gate,
    push_secrets: Gate,
    targets: Gate,
    secret_stores: Gate,
    cluster_stores: Gate,
    namespaces: Gate,
    cluster_external_secrets: Gate,
    cluster_push_secrets: Gate,
    cluster_scope: bool,
}

impl Gates {
    async fn opened(&self) {
        let required = [
            self.external_secrets.clone(),
            self.targets.clone(),
            self.secret_stores.clone(),
        ];
        let optional = [self.cluster_stores.clone(), self.namespaces.clone()];
        gate::all(&required, if self.cluster_scope { &optional } else { &[] }).await;
    }

    /// Whether PushSecrets may run: once what they depend on was listed, unless a stop comes first.
    async fn pushes_opened(&self, shutdown: &Shutdown) -> bool {
        let required = [self.push_secrets.clone(), self.secret_stores.clone()];
        let optional = [self.cluster_stores.clone(), self.namespaces.clone()];
        let optional: &[Gate] = if self.cluster_scope { &optional } else { &[] };
        tokio::select! {
            () = gate::all(&required, optional) => true,
            () = shutdown.requested() => false,
        }
    }
}

impl Gates {
    /// Whether ClusterExternalSecrets may run: once all they could take for missing was listed, unless
    /// a stop comes first.
    async fn fan_out_opened(&self, shutdown: &Shutdown) -> bool {
        let required = [
            self.cluster_external_secrets.clone(),
            self.external_secrets.clone(),
            self.namespaces.clone(),
        ];
        tokio::select! {
            () = gate::all(&required, &[]) => true,
            () = shutdown.requested() => false,
        }
    }
}

impl Gates {
    /// Whether ClusterPushSecrets may run, under the same rule.
    async fn push_fan_out_opened(&self, shutdown: &Shutdown) -> bool {
        let required = [
            self.cluster_push_secrets.clone(),
            self.push_secrets.clone(),
            self.namespaces.clone(),
        ];
        tokio::select! {
            () = gate::all(&required, &[]) => true,
            () = shutdown.requested() => false,
        }
    }
}

fn start_watches(shared: &Arc<Shared>, config: &Config, edges: &Edges) -> Gates {
    let gates = Gates {
        cluster_scope: config.settings.cluster_stores,
        ..Gates::default()
    };
    let part = |name: &str| edges.readiness.register(name);

    let api = scoped::<ExternalSecret>(edges, config);
    let component = part(ExternalSecret::CRD_NAME);
    let (own, gate) = (Arc::clone(shared), gates.external_secrets.clone());
    shared.background.keep("externalsecrets", move || {
        let changes = watch(api.clone(), own.watch_settings(), component.clone());
        follow(
            Arc::clone(&own),
            changes,
            gate.clone(),
            Event::ExternalSecret,
        )
    });

    let api = scoped::<SecretStore>(edges, config);
    let component = part(SecretStore::CRD_NAME);
    let (own, gate) = (Arc::clone(shared), gates.secret_stores.clone());
    shared.background.keep("secretstores", move || {
        let changes = watch(api.clone(), own.watch_settings(), component.clone());
        let event =
            |seen: Seen<SecretStore>| Event::Store(StoreKind::SecretStore, seen.map(Into::into));
        follow(Arc::clone(&own), changes, gate.clone(), event)
    });

    if config.settings.push_secrets {
        let api = scoped::<PushSecret>(edges, config);
        let component = part(PushSecret::CRD_NAME);
        let (own, gate) = (Arc::clone(shared), gates.push_secrets.clone());
        shared.background.keep("pushsecrets", move || {
            let changes = watch(api.clone(), own.watch_settings(), component.clone());
            follow(Arc::clone(&own), changes, gate.clone(), Event::PushSecret)
        });
    }

    let labels = Some(format!("{LABEL_MANAGED}={LABEL_MANAGED_VALUE}"));
    let managed = watch::Settings {
        labels,
        ..shared.watch_settings()
    };
    let (api, component) = (scoped::<Secret>(edges, config), part("secrets"));
    let (own, gate) = (Arc::clone(shared), gates.targets.clone());
    shared.background.keep("secrets", move || {
        let changes = watch(api.clone(), managed.clone(), component.clone());
        follow(Arc::clone(&own), changes, gate.clone(), Event::Target)
    });

    start_cluster_watches(shared, config, edges, &gates);
    gates
}

/// Starts the watches of kinds that are not in a namespace.
fn start_cluster_watches(shared: &Arc<Shared>, config: &Config, edges: &Edges, gates: &Gates) {
    let part = |name: &str| edges.readiness.register(name);

    if config.settings.cluster_stores {
        let api = Api::<Guarded<ClusterSecretStore>>::all(edges.client.clone());
        let component = part(ClusterSecretStore::CRD_NAME);
        let (own, gate) = (Arc::clone(shared), gates.cluster_stores.clone());
        shared.background.keep("clustersecretstores", move || {
            let changes = watch(api.clone(), own.watch_settings(), component.clone());
            let event = |seen: Seen<ClusterSecretStore>| {
                Event::Store(StoreKind::ClusterSecretStore, seen.map(Into::into))
            };
            follow(Arc::clone(&own), changes, gate.clone(), event)
        });
    }

    if config.cluster_external_secrets {
        let api = Api::<Guarded<ClusterExternalSecret>>::all(edges.client.clone());
        let component = part(ClusterExternalSecret::CRD_NAME);
        let (own, gate) = (Arc::clone(shared), gates.cluster_external_secrets.clone());
        shared.background.keep("clusterexternalsecrets", move || {
            let changes = watch(api.clone(), own.watch_settings(), component.clone());
            follow(
                Arc::clone(&own),
                changes,
                gate.clone(),
                Event::ClusterExternalSecret,
            )
        });
    }

    if config.cluster_push_secrets && config.settings.push_secrets {
        let api = Api::<Guarded<ClusterPushSecret>>::all(edges.client.clone());
        let component = part(ClusterPushSecret::CRD_NAME);
        let (own, gate) = (Arc::clone(shared), gates.cluster_push_secrets.clone());
        shared.background.keep("clusterpushsecrets", move || {
            let changes = watch(api.clone(), own.watch_settings(), component.clone());
            let event = Event::ClusterPushSecret;
            follow(Arc::clone(&own), changes, gate.clone(), event)
        });
    }

    let fans_out = config.cluster_external_secrets || config.cluster_push_secrets;
    if config.settings.cluster_stores || fans_out {
        let api = Api::<Guarded<PartialObjectMeta<Namespace>>>::all(edges.client.clone());
        let component = part("namespaces");
        let (own, gate) = (Arc::clone(shared), gates.namespaces.clone());
        shared.background.keep("namespaces", move || {
            let changes = watch(api.clone(), own.watch_settings(), component.clone());
            let event = |seen: Seen<PartialObjectMeta<Namespace>>| {
                Event::Namespace(seen.map(|namespace| namespace.metadata))
            };
            follow(Arc::clone(&own), changes, gate.clone(), event)
        });
    }
}

fn watch_generator_states(
    shared: &Arc<Shared>,
    queue: Handle<ObjectKey>,
    config: &Config,
    edges: &Edges,
) {
    let api = scoped::<GeneratorState>(edges, config);
    let component = edges.readiness.register(GeneratorState::CRD_NAME);
    let own = Arc::clone(shared);
    shared.background.keep("generatorstates", move || {
        let changes = watch(api.clone(), own.watch_settings(), component.clone());
        generator_state::watch(Arc::clone(&own), queue.clone(), changes)
    });
}

/// All namespaces, or the one the operator is bound to.
fn scoped<K>(edges: &Edges, config: &Config) -> Api<Guarded<K>>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    Guarded<K>: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
{
    match &config.namespace {
        Some(namespace) => Api::namespaced(edges.client.clone(), namespace),
        None => Api::all(edges.client.clone()),
    }
}

fn publish_series(shared: &Arc<Shared>, config: &Config, metrics: &Metrics) {
    let extended = config.extended_labels;
    metrics.add_rows(Arc::new(Gauges(Arc::clone(shared))));
    metrics.add_rows(Arc::new(ByStore(Arc::clone(shared))));
    metrics.add_rows(Arc::new(ExternalSecretRows {
        shared: Arc::clone(shared),
        extended,
    }));
    if config.settings.push_secrets {
        metrics.add_rows(Arc::new(PushSecretRows {
            shared: Arc::clone(shared),
            extended,
        }));
    }
    if config.cluster_external_secrets {
        let rows = FanOutRows::<ClusterExternalSecret>::new(shared, extended);
        metrics.add_rows(Arc::new(rows));
    }
    if config.cluster_push_secrets && config.settings.push_secrets {
        let rows = FanOutRows::<ClusterPushSecret>::new(shared, extended);
        metrics.add_rows(Arc::new(rows));
    }
    let stores = |kind| StoreRows {
        shared: Arc::clone(shared),
        kind,
        extended,
    };
    if config.settings.secret_stores {
        metrics.add_rows(Arc::new(stores(StoreKind::SecretStore)));
    }
    if config.settings.cluster_stores {
        metrics.add_rows(Arc::new(stores(StoreKind::ClusterSecretStore)));
    }
}
