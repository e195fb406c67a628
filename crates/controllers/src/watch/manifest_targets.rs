//! Starts one watch a kind of targets that are no Secrets. Objects are watched by their metadata only.

use std::sync::Arc;

use kube::core::{DynamicObject, PartialObjectMeta};
use lockstep_api::keys::{LABEL_MANAGED, LABEL_MANAGED_VALUE};
use lockstep_index::Seen;
use lockstep_plan::manifest_target::ObjectRef;
use lockstep_runtime::health::Readiness;

use super::follow::{Watched, keep};
use super::gate::Gate;
use crate::api_server::kind_of;
use crate::context::Context;

/// Watches the kind of a target, from the first time it is met.
pub(crate) async fn watch_kind(context: &Arc<Context>, target: &ObjectRef) {
    let kind = kind_of(target);
    let (kinds, client) = (&context.api.kinds, &context.api.client);
    if kinds.is_watched(&kind) {
        return;
    }
    let Ok(resource) = kinds.resource(client, target).await else {
        return;
    };
    if !kinds.watch(kind.clone()) {
        return;
    }
    let watched = Watched {
        task: "generic targets",
        api: context.watches.scoped_with(client, &resource),
        labels: Some(format!("{LABEL_MANAGED}={LABEL_MANAGED_VALUE}")),
        // The operator is ready without it: targets are looked at with every refresh in any case.
        component: Readiness::default().register(resource.plural.clone()),
        gate: Gate::default(),
    };
    keep(
        context,
        watched,
        move |index, seen: Seen<PartialObjectMeta<DynamicObject>>, now| {
            index.manifest_target_seen(&kind, seen.map(|object| object.metadata), now)
        },
    );
}
