//! One dispatcher a controller: each waits for its gate, then reconciles what its queue holds.

use std::sync::Arc;

use lockstep_api::{ClusterExternalSecret, ClusterPushSecret};
use lockstep_index::ObjectKey;
use lockstep_plan::StoreKey;
use lockstep_runtime::dispatch::{DispatchSettings, Dispatcher};
use lockstep_runtime::schedule::Job;
use lockstep_runtime::shutdown::Shutdown;

use super::{Edges, unserved};
use crate::config::Config;
use crate::context::Context;
use crate::fan_out::{self, FanOut};
use crate::schedule::Queues;
use crate::watch::Gates;
use crate::{external_secret, generator_state, push_secret, sharing, store};

/// Dispatchers of all kinds.
pub(super) struct Dispatchers {
    external_secrets: Dispatcher<ObjectKey>,
    push_secrets: Dispatcher<ObjectKey>,
    secret_stores: Dispatcher<StoreKey>,
    cluster_stores: Dispatcher<StoreKey>,
    cluster_external_secrets: Dispatcher<String>,
    cluster_push_secrets: Dispatcher<String>,
    generator_states: Dispatcher<ObjectKey>,
}

impl Dispatchers {
    pub(super) fn new(config: &Config, edges: &Edges) -> Self {
        let settings = |name| {
            let time = Arc::clone(&edges.services.time);
            let settings = DispatchSettings::new(edges.metrics.controller(name), time);
            DispatchSettings {
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

    /// The queues they take objects from.
    pub(super) fn queues(&self) -> Queues {
        Queues {
            external_secrets: self.external_secrets.handle(),
            push_secrets: self.push_secrets.handle(),
            secret_stores: self.secret_stores.handle(),
            cluster_stores: self.cluster_stores.handle(),
            cluster_external_secrets: self.cluster_external_secrets.handle(),
            cluster_push_secrets: self.cluster_push_secrets.handle(),
            generator_states: self.generator_states.handle(),
        }
    }

    /// Reconciles until a stop is asked for.
    pub(super) async fn run(
        self,
        context: &Arc<Context>,
        config: &Config,
        gates: &Gates,
        shutdown: &Shutdown,
    ) {
        let (around, settings) = ((context, shutdown), &config.settings);
        let pushes = settings.push_secrets;
        futures_util::join!(
            stores(settings.secret_stores, self.secret_stores, around),
            stores(settings.cluster_stores, self.cluster_stores, around),
            external_secrets(self.external_secrets, gates, around),
            async {
                if pushes && gates.push_secrets(shutdown).await {
                    push_secrets(self.push_secrets, around).await;
                }
            },
            async {
                let on = config.cluster_external_secrets;
                if on && gates.cluster_external_secrets(shutdown).await {
                    fan_outs::<ClusterExternalSecret>(self.cluster_external_secrets, around).await;
                }
            },
            async {
                let on = config.cluster_push_secrets && pushes;
                if on && gates.cluster_push_secrets(shutdown).await {
                    fan_outs::<ClusterPushSecret>(self.cluster_push_secrets, around).await;
                }
            },
            generator_states(self.generator_states, around),
        );
    }
}

type Around<'a> = (&'a Arc<Context>, &'a Shutdown);

async fn stores(enabled: bool, dispatcher: Dispatcher<StoreKey>, (context, shutdown): Around<'_>) {
    if enabled {
        let own = Arc::clone(context);
        let run = move |job: Job<_>| store::reconcile(Arc::clone(&own), job.key);
        dispatcher.run(run, shutdown.clone()).await;
    }
}

/// Reconciles ExternalSecrets, and makes the reads they share.
async fn external_secrets(
    dispatcher: Dispatcher<ObjectKey>,
    gates: &Gates,
    (context, shutdown): Around<'_>,
) {
    if !gates.external_secrets(shutdown).await {
        return;
    }
    unserved::log_stores(&context.index, &context.settings.current().class);
    let (own, rows) = (Arc::clone(context), Arc::clone(context));
    let reads = sharing::run(Arc::clone(context), shutdown.clone());
    let run = move |job| external_secret::reconcile(Arc::clone(&own), job);
    let claim_of = move |key: &ObjectKey| Some(rows.index.external_secrets().claim(key));
    let dispatcher = dispatcher.by_claim(Arc::new(claim_of));
    let objects = dispatcher.run(run, shutdown.clone());
    futures_util::join!(reads, objects);
}

async fn push_secrets(dispatcher: Dispatcher<ObjectKey>, (context, shutdown): Around<'_>) {
    let (own, rows) = (Arc::clone(context), Arc::clone(context));
    let run = move |job: Job<_>| push_secret::reconcile(Arc::clone(&own), job.key);
    let claim_of = move |key: &ObjectKey| Some(rows.index.push_secrets().claim(key));
    let dispatcher = dispatcher.by_claim(Arc::new(claim_of));
    dispatcher.run(run, shutdown.clone()).await;
}

async fn fan_outs<P: FanOut>(dispatcher: Dispatcher<String>, (context, shutdown): Around<'_>) {
    let own = Arc::clone(context);
    let run = move |job: Job<_>| fan_out::reconcile::<P>(Arc::clone(&own), job.key);
    dispatcher.run(run, shutdown.clone()).await;
}

async fn generator_states(dispatcher: Dispatcher<ObjectKey>, (context, shutdown): Around<'_>) {
    let own = Arc::clone(context);
    let run = move |job: Job<_>| generator_state::reconcile(Arc::clone(&own), job.key);
    dispatcher.run(run, shutdown.clone()).await;
}
