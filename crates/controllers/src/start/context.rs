//! Puts the parts of the context together.

use std::sync::Arc;

use lockstep_index::Index;
use lockstep_plan::Settings;
use lockstep_reconcile::Planning;
use lockstep_remote::{Connections, RemoteClient};
use lockstep_runtime::background::Background;
use lockstep_runtime::events::Events;

use super::Edges;
use crate::api_server::{ApiServer, Recorders};
use crate::config::Config;
use crate::context::{Context, LiveSettings};
use crate::schedule::{Deletions, Queues, Schedule};
use crate::watch_scope::WatchScope;

/// A context with an empty index.
pub(super) fn new(queues: Queues, config: &Config, edges: &Edges) -> Arc<Context> {
    let services = &edges.services;
    let settings = Settings {
        started: Some(services.time.now()),
        ..config.settings.clone()
    };
    let remote = RemoteClient::new(Connections::new(Arc::clone(services)), settings.salt);
    if config.probe_versions {
        remote.allow_version_probes();
    }
    let background = Background::new(Arc::clone(&edges.metrics), edges.readiness.clone());
    let time = Arc::clone(&services.time);
    let events = Events::start(&edges.client, Arc::clone(&time), &background);
    Arc::new(Context {
        index: Index::new(settings.salt),
        remote,
        api: ApiServer::new(edges.client.clone(), Recorders::new(events)),
        schedule: Schedule::new(queues, Deletions::new(config.deletion_guard)),
        watches: WatchScope::new(background, config.namespace.clone()),
        settings: LiveSettings::new(settings),
        planning: Planning::default(),
        time,
    })
}
