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

/// Time between two looks. Each is one request for one object. A backup that is not older than this
/// may go unnoticed.
const PERIOD: Duration = Duration::from_secs(10);

/// The latest version a list has shown.
#[derive(Default)]
struct Revision(u64);

impl Revision {
    /// Takes the version of a list; returns whether it is lower than an earlier one.
    fn went_down(&mut self, listed: u64) -> bool {
        let before = std::mem::replace(&mut self.0, listed);
        listed < before
    }
}

/// Looks for ever.
pub(crate) async fn keep_looking(context: Arc<Context>) {
    let mut revision = Revision::default();
    loop {
        let Some(listed) = listed(&context.api.client, context.watches.namespace.as_deref()).await
        else {
            context.time.sleep(PERIOD).await;
            continue;
        };
        if revision.went_down(listed) {
            tracing::warn!(
                listed,
                "resource versions went down: was etcd restored? everything is listed again"
            );
            context.index.stores().distrust();
            context.watches.relist();
        }
        context.time.sleep(PERIOD).await;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lower_version_than_before_is_noticed_and_only_once() {
        let mut revision = Revision::default();

        let seen = [900, 900, 950, 500, 500, 501].map(|listed| revision.went_down(listed));

        assert_eq!(seen, [false, false, false, true, false, false]);
    }
}
