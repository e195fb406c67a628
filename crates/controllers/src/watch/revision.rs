//! Notices that resourceVersions went down, as after etcd was restored from a backup. A watch that goes
//! on from a version that is not reached yet shows nothing and fails with nothing, so every watch is
//! asked to list again then, and what was read from a store is read again.

use std::sync::Arc;
use std::time::Duration;

use kube::api::ListParams;
use kube::core::PartialObjectMeta;
use kube::{Api, Client};
use lockstep_api::ExternalSecret;

use crate::context::Context;

/// Time between two looks while every watch works. Each is one request for one object. A backup that
/// is not older than this may go unnoticed (`docs/adr/0081-look-at-revisions.md`).
const PERIOD: Duration = Duration::from_mins(5);

/// The least time between two looks, whatever fails.
const PAUSE: Duration = Duration::from_secs(10);

/// Looks for ever: after every failure of a watch, and now and then.
pub(crate) async fn keep_looking(context: Arc<Context>) {
    let watches = &context.watches;
    loop {
        let before = watches.revision.latest();
        let listed = listed(&context.api.client, watches.namespace.as_deref()).await;
        let went_down = |listed: &u64| watches.revision.went_down(before, *listed);
        if let Some(listed) = listed.filter(went_down) {
            tracing::warn!(
                listed,
                "resource versions went down: was etcd restored? everything is listed again"
            );
            context.index.stores().distrust();
            watches.relist();
        }
        context.time.sleep(PAUSE).await;
        if listed.is_none() {
            continue;
        }
        tokio::select! {
            () = context.time.sleep(PERIOD) => {}
            // Whoever restores etcd restarts the API server, and that breaks watches.
            () = watches.failed.notified() => {}
        }
    }
}

/// The version of a list that comes from etcd and from no cache.
async fn listed(client: &Client, namespace: Option<&str>) -> Option<u64> {
    let api: Api<PartialObjectMeta<ExternalSecret>> = match namespace {
        Some(namespace) => Api::namespaced(client.clone(), namespace),
        None => Api::all(client.clone()),
    };
    let list = api.list_metadata(&ListParams::default().limit(1)).await;
    list.ok()?.metadata.resource_version?.parse().ok()
}
