//! Starts the watches of what objects and stores read from: one a kind, of metadata only, when the
//! first of that kind is named. Who is requeued by a change is decided in `lockstep-index`.

use std::sync::Arc;

use futures_util::Stream;
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, PartialObjectMeta};
use kube::{Api, Resource};
use lockstep_api::keys::{GENERATORS_GROUP, LABEL_MANAGED, LABEL_MANAGED_VALUE};
use lockstep_generators::{CLUSTER_KIND, plural};
use lockstep_index::{Event, InputKind, Seen};
use lockstep_runtime::health::Readiness;
use lockstep_runtime::watch::{Change, Guarded, Settings, watch};

use crate::gate::Gate;
use crate::shared::Shared;
use crate::watch_loop::follow;

/// Starts watches as the index asks for them, for good.
pub(crate) async fn keep_starting(shared: Arc<Shared>) {
    loop {
        for kind in shared.inputs.next().await {
            start(&shared, kind);
        }
    }
}

fn start(shared: &Arc<Shared>, kind: InputKind) {
    // Apart from the process's: without these watches everything works, only later.
    let part = |name: &str| Readiness::default().register(name);
    match &kind {
        InputKind::ConfigMap => {
            let api = scoped::<PartialObjectMeta<ConfigMap>>(shared);
            let (component, settings) = (part("configmaps"), shared.watch_settings());
            keep(shared, "configmaps", kind, move || {
                watch(api.clone(), settings.clone(), component.clone())
            });
        }
        InputKind::Secret => {
            // The others are in the list of targets, which counts for inputs too.
            let labels = Some(format!("{LABEL_MANAGED}!={LABEL_MANAGED_VALUE}"));
            let settings = Settings {
                labels,
                ..shared.watch_settings()
            };
            let api = scoped::<PartialObjectMeta<Secret>>(shared);
            let component = part("credentials");
            keep(shared, "credentials", kind, move || {
                watch(api.clone(), settings.clone(), component.clone())
            });
        }
        InputKind::Generator(name) => {
            let plural = plural(name);
            let of_kind = GroupVersionKind::gvk(GENERATORS_GROUP, "v1alpha1", name);
            let resource = ApiResource::from_gvk_with_plural(&of_kind, &plural);
            let client = shared.client.clone();
            let api: Api<Guarded<PartialObjectMeta<DynamicObject>>> =
                match shared.namespace.as_deref() {
                    Some(namespace) if &**name != CLUSTER_KIND => {
                        Api::namespaced_with(client, namespace, &resource)
                    }
                    _ => Api::all_with(client, &resource),
                };
            let (component, settings) = (part(&plural), shared.watch_settings());
            keep(shared, "generators", kind, move || {
                watch(api.clone(), settings.clone(), component.clone())
            });
        }
    }
}

fn scoped<K>(shared: &Shared) -> Api<Guarded<K>>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    Guarded<K>: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
{
    match shared.namespace.as_deref() {
        Some(namespace) => Api::namespaced(shared.client.clone(), namespace),
        None => Api::all(shared.client.clone()),
    }
}

/// Watches a kind of inputs for good.
fn keep<K, C>(
    shared: &Arc<Shared>,
    name: &'static str,
    kind: InputKind,
    changes: impl Fn() -> C + Send + Sync + 'static,
) where
    K: Send + Sync + 'static,
    C: Stream<Item = Change<PartialObjectMeta<K>>> + Send + 'static,
{
    let own = Arc::clone(shared);
    shared.background.keep(name, move || {
        let kind = kind.clone();
        let event = move |seen: Seen<PartialObjectMeta<K>>| {
            Event::Input(kind.clone(), seen.map(|object| object.metadata))
        };
        follow(Arc::clone(&own), changes(), Gate::default(), event)
    });
}
