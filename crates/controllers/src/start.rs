//! Starts everything: the context, one watch a kind, one dispatcher a controller, until a stop is asked
//! for. Decides nothing.

mod context;
mod dispatchers;
mod series;
mod unserved;

use std::sync::{Arc, Weak};
use std::time::Duration;

use kube::Client;
use lockstep_provider_api::Services;
use lockstep_remote::RemoteObserver;
use lockstep_runtime::health::Readiness;
use lockstep_runtime::metrics::Metrics;
use lockstep_runtime::shutdown::Shutdown;

use crate::config::Config;
use crate::context::Context;
use crate::watch;

use dispatchers::Dispatchers;

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
    let dispatchers = Dispatchers::new(&config, &edges);
    let context = context::new(dispatchers.queues(), &config, &edges);
    series::publish(&context, &config, &edges.metrics);
    let observer: Weak<dyn RemoteObserver> = Arc::<Context>::downgrade(&context);
    context.remote.observe(observer);
    keep_background_tasks(&context);
    let gates = watch::start(&context, &config, &edges.readiness);
    unserved::kinds::start(&context, &config);
    dispatchers.run(&context, &config, &gates, &shutdown).await;
    context.api.recorders.all.flush(EVENTS_GRACE).await;
}

fn keep_background_tasks(context: &Arc<Context>) {
    let background = &context.watches.background;
    let remote = Arc::clone(&context.remote);
    background.keep("probes", move || Arc::clone(&remote).keep_probing());
    let own = Arc::clone(context);
    background.keep("revision", move || {
        watch::keep_looking_at_revision(Arc::clone(&own))
    });
    let own = Arc::clone(context);
    background.keep("input watches", move || {
        watch::keep_starting_inputs(Arc::clone(&own))
    });
}
