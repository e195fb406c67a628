//! Follows what objects and stores read from: template sources, credentials, generators. One watch
//! a kind, of metadata only, started when the first of that kind is referred to. A change runs the
//! objects concerned; whether they follow it is decided in `lockstep-plan`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{Stream, StreamExt};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, PartialObjectMeta};
use kube::{Api, Resource, ResourceExt};
use lockstep_api::external_secret::GeneratorRef;
use lockstep_api::keys::{GENERATORS_GROUP, LABEL_MANAGED, LABEL_MANAGED_VALUE};
use lockstep_api::{ExternalSecret, PushSecret};
use lockstep_generators::{CLUSTER_KIND, plural};
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::{SourceKey, SourceKind, generators, template_sources};
use lockstep_plan::push_secret::{self, SourceRef};
use lockstep_remote::{Credential, CredentialKind};
use lockstep_runtime::health::Readiness;
use lockstep_runtime::watch::{Change, Guarded, Settings, watch};

use crate::shared::Shared;
use crate::{callers, push_watches, watches};
use lockstep_index::ObjectKey;
use lockstep_index::{InputKey, InputKind, Reader};

/// The watches that run.
#[derive(Default)]
pub(crate) struct InputWatches {
    started: Mutex<BTreeSet<InputKind>>,
    /// Apart from the process's: without these watches everything works, only later.
    readiness: Readiness,
}

/// What an ExternalSecret reads from beside its stores.
pub(crate) fn of_object(object: &ExternalSecret) -> BTreeSet<InputKey> {
    let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
    let sources = template_sources(object);
    let sources = sources.iter().map(|source| of_source(source, namespace));
    let generators = generators(object).map(|generator| of_generator(generator, namespace));
    sources.chain(generators).collect()
}

/// What a PushSecret reads from beside its stores: its source, where that has a name, and what its
/// template takes texts from.
pub(crate) fn of_push(object: &PushSecret) -> BTreeSet<InputKey> {
    let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
    let templates = push_secret::template_sources(object);
    let templates = templates.iter().map(|source| of_source(source, namespace));
    let source = match push_secret::source(object) {
        Some(SourceRef::Named(name)) => Some(InputKey {
            kind: InputKind::Secret,
            name: ObjectKey::new(namespace, name),
        }),
        Some(SourceRef::Generator(generator)) => Some(of_generator(generator, namespace)),
        Some(SourceRef::Labelled(_)) | None => None,
    };
    templates.chain(source).collect()
}

fn of_source(source: &SourceKey, namespace: &str) -> InputKey {
    InputKey {
        kind: match source.kind {
            SourceKind::ConfigMap => InputKind::ConfigMap,
            SourceKind::Secret => InputKind::Secret,
        },
        name: ObjectKey::new(namespace, &source.name),
    }
}

fn of_generator(generator: &GeneratorRef, namespace: &str) -> InputKey {
    let kind = generator.kind.as_str();
    let namespace = if kind == CLUSTER_KIND { "" } else { namespace };
    InputKey {
        kind: InputKind::Generator(kind.into()),
        name: ObjectKey::new(namespace, &generator.name),
    }
}

/// Follows what an object reads from now on; an empty set forgets it.
pub(crate) fn follow_object(shared: &Arc<Shared>, key: &ObjectKey, inputs: BTreeSet<InputKey>) {
    let any = !inputs.is_empty();
    let reader = Reader::ExternalSecret(key.clone());
    shared.index.inputs().set(&reader, inputs);
    if any {
        start(shared);
    }
}

/// The same for a PushSecret, which may also read Secrets by their labels.
pub(crate) fn follow_push(shared: &Arc<Shared>, key: &ObjectKey, inputs: BTreeSet<InputKey>) {
    let any = !inputs.is_empty() || shared.index.push_secrets().has_selectors();
    shared
        .index
        .inputs()
        .set(&Reader::PushSecret(key.clone()), inputs);
    if any {
        start(shared);
    }
}

/// Follows what a store's connection took its credentials from.
pub(crate) fn follow_store(
    shared: &Arc<Shared>,
    store: &StoreKey,
    caller: Option<&str>,
    read: &BTreeSet<Credential>,
) {
    let reader = Reader::Store(store.clone(), caller.map(Into::into));
    for credential in read {
        let input = InputKey {
            kind: match credential.kind {
                CredentialKind::Secret => InputKind::Secret,
                CredentialKind::ConfigMap => InputKind::ConfigMap,
            },
            name: ObjectKey::new(&credential.namespace, &credential.name),
        };
        shared.index.inputs().add(&reader, input);
    }
    if let Some(caller) = caller {
        // The last object of the namespace may have gone while the connection was made.
        callers::object_gone(shared, caller);
    }
    if !read.is_empty() {
        start(shared);
    }
}

/// Starts the watches that are missing.
fn start(shared: &Arc<Shared>) {
    let mut wanted = shared.index.inputs().kinds();
    if shared.index.push_secrets().has_selectors() {
        wanted.insert(InputKind::Secret);
    }
    for kind in wanted {
        let started = &shared.inputs.started;
        let mut started = started.lock().unwrap_or_else(PoisonError::into_inner);
        if started.insert(kind.clone()) {
            drop(started);
            start_one(shared, kind);
        }
    }
}

fn start_one(shared: &Arc<Shared>, kind: InputKind) {
    let part = |name: &str| shared.inputs.readiness.register(name);
    match &kind {
        InputKind::ConfigMap => {
            let api = scoped::<PartialObjectMeta<ConfigMap>>(shared);
            let (component, settings) = (part("configmaps"), shared.watch_settings());
            keep(shared, "configmaps", kind, move || {
                watch(api.clone(), settings.clone(), component.clone())
            });
        }
        InputKind::Secret => {
            // The others are in the index of targets, which tells of them too.
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
            let of_kind = GroupVersionKind::gvk(GENERATORS_GROUP, "v1alpha1", name);
            let plural = plural(name);
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
    K: ResourceExt + Send + 'static,
    C: Stream<Item = Change<K>> + Send + 'static,
{
    let own = Arc::clone(shared);
    shared
        .background
        .keep(name, move || run(Arc::clone(&own), kind.clone(), changes()));
}

async fn run<K: ResourceExt>(
    shared: Arc<Shared>,
    kind: InputKind,
    changes: impl Stream<Item = Change<K>>,
) {
    let mut changes = std::pin::pin!(changes);
    let mut listed = true;
    // Secrets with our label are not in this list, so their absence from it says nothing.
    let whole = kind != InputKind::Secret;
    while let Some(change) = changes.next().await {
        match change {
            Change::Reset => {
                listed = true;
                if whole {
                    shared.index.inputs().begin_list(&kind);
                }
            }
            Change::Applied(object) => saw(&shared, &kind, object.meta(), listed),
            Change::Deleted(object) => gone(&shared, &kind, &key(&kind, object.meta()).name),
            Change::Synced => {
                listed = false;
                if whole {
                    let readers = shared.index.inputs().end_list(&kind);
                    tell(&shared, readers);
                }
            }
            Change::Invalid(_) => {}
        }
    }
}

/// Takes the metadata of an object that may be an input.
pub(crate) fn saw(shared: &Shared, kind: &InputKind, meta: &ObjectMeta, listed: bool) {
    let generation = meta.generation.map(|generation| generation.to_string());
    // Of a generator only the spec matters; other kinds have no generation.
    let version = generation
        .as_deref()
        .or(meta.resource_version.as_deref())
        .unwrap_or_default();
    let uid = meta.uid.as_deref().unwrap_or_default();
    let version = format!("{uid}/{version}");
    let readers = shared
        .index
        .inputs()
        .saw(&key(kind, meta), &version, listed);
    tell(shared, readers);
    if *kind == InputKind::Secret && !listed {
        let none = BTreeMap::new();
        let labels = meta.labels.as_ref().unwrap_or(&none);
        push_watches::secret_changed(shared, &key(kind, meta).name, Some(labels));
    }
}

/// Tells that an object is gone that may be an input.
pub(crate) fn gone(shared: &Shared, kind: &InputKind, name: &ObjectKey) {
    let input = InputKey {
        kind: kind.clone(),
        name: name.clone(),
    };
    let readers = shared.index.inputs().saw(&input, "", false);
    tell(shared, readers);
    if *kind == InputKind::Secret {
        push_watches::secret_changed(shared, name, None);
    }
}

fn key(kind: &InputKind, meta: &ObjectMeta) -> InputKey {
    InputKey {
        kind: kind.clone(),
        name: ObjectKey::new(
            meta.namespace.as_deref().unwrap_or_default(),
            meta.name.as_deref().unwrap_or_default(),
        ),
    }
}

fn tell(shared: &Shared, readers: Vec<Reader>) {
    for reader in readers {
        match reader {
            Reader::ExternalSecret(key) => {
                tracing::debug!(external_secret = %key, "an input changed");
                shared.input_changed(vec![key], shared.now());
            }
            Reader::PushSecret(key) => push_watches::input_changed(shared, key),
            Reader::Store(store, caller) => {
                tracing::debug!(%store, "a credential changed");
                watches::credential_changed(shared, &store, caller.as_deref());
            }
        }
    }
}
