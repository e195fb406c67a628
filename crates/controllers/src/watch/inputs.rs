//! Starts the watches of what objects and stores read from: one a kind, of metadata only, when the
//! first of that kind is named. Who is requeued by a change is decided in `lockstep-index`.

use std::fmt::Debug;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, PartialObjectMeta};
use kube::{Api, Resource};
use lockstep_api::keys::{GENERATORS_GROUP, LABEL_MANAGED, LABEL_MANAGED_VALUE};
use lockstep_generators::{CLUSTER_KIND, plural};
use lockstep_index::{Index, InputKind, Seen};
use lockstep_runtime::health::{Component, Readiness};
use lockstep_runtime::watch::Guarded;
use serde::de::DeserializeOwned;

use super::follow::{Watched, keep};
use super::gate::Gate;
use crate::context::Context;

/// Starts watches as the index asks for them, for good.
pub(crate) async fn keep_starting(context: Arc<Context>) {
    loop {
        for kind in context.watches.wanted.next().await {
            start(&context, kind);
        }
    }
}

fn start(context: &Arc<Context>, kind: InputKind) {
    let (scope, client) = (&context.watches, &context.api.client);
    match &kind {
        InputKind::ConfigMap => {
            let api = scope.scoped::<PartialObjectMeta<ConfigMap>>(client);
            keep_kind(
                context,
                kind,
                input("configmaps", api, component("configmaps")),
            );
        }
        InputKind::Secret => {
            let api = scope.scoped::<PartialObjectMeta<Secret>>(client);
            let watched = Watched {
                // The others are in the list of targets, which counts for inputs too.
                labels: Some(format!("{LABEL_MANAGED}!={LABEL_MANAGED_VALUE}")),
                ..input("credentials", api, component("credentials"))
            };
            keep_kind(context, kind, watched);
        }
        InputKind::Generator(name) => {
            let plural = plural(name);
            let of_kind = GroupVersionKind::gvk(GENERATORS_GROUP, "v1alpha1", name);
            let resource = ApiResource::from_gvk_with_plural(&of_kind, &plural);
            let api: Api<Guarded<PartialObjectMeta<DynamicObject>>> = if &**name == CLUSTER_KIND {
                Api::all_with(client.clone(), &resource)
            } else {
                scope.scoped_with(client, &resource)
            };
            keep_kind(context, kind, input("generators", api, component(&plural)));
        }
    }
}

/// Apart from the process's readiness: without these watches everything works, only later.
fn component(name: &str) -> Component {
    Readiness::default().register(name)
}

fn input<K>(task: &'static str, api: Api<Guarded<K>>, component: Component) -> Watched<K> {
    Watched {
        task,
        api,
        labels: None,
        component,
        gate: Gate::default(),
    }
}

/// Watches a kind of inputs for good.
fn keep_kind<K>(context: &Arc<Context>, kind: InputKind, watched: Watched<PartialObjectMeta<K>>)
where
    K: Send + Sync + 'static,
    PartialObjectMeta<K>: Resource + Clone + Debug + DeserializeOwned,
    Api<Guarded<PartialObjectMeta<K>>>: Send + Sync,
{
    let rule = move |index: &Index, seen: Seen<PartialObjectMeta<K>>, now: Timestamp| {
        index.input_kind_seen(&kind, seen.map(|object| object.metadata), now)
    };
    keep(context, watched, rule);
}
