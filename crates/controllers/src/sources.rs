//! ConfigMaps and Secrets that templates take their texts from: who uses them, and one watch a kind
//! that refreshes the users of what changed. Only names and versions are kept, and only of what is
//! used; kinds that nobody uses are not watched.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::{Stream, StreamExt};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::core::PartialObjectMeta;
use kube::{Api, Resource};
use lockstep_api::ExternalSecret;
use lockstep_plan::external_secret::{SourceKind, template_sources};
use lockstep_runtime::health::Readiness;
use lockstep_runtime::supervise::spawn;
use lockstep_runtime::watch::{self, Change, Guarded, watch};
use serde::de::DeserializeOwned;

use crate::key::ObjectKey;
use crate::shared::Shared;
use crate::watches::refresh;

/// A ConfigMap or Secret.
type Source = (SourceKind, ObjectKey);

/// Who uses which source.
#[derive(Default)]
pub(crate) struct TemplateSources(Mutex<Index>);

#[derive(Default)]
struct Index {
    users: BTreeMap<Source, Used>,
    /// Sources of those ExternalSecrets that have any.
    uses: BTreeMap<ObjectKey, BTreeSet<Source>>,
    watched: BTreeSet<SourceKind>,
}

#[derive(Default)]
struct Used {
    by: BTreeSet<ObjectKey>,
    /// The version last seen.
    version: Option<String>,
}

impl TemplateSources {
    /// Notes what an ExternalSecret uses now, and returns the kinds that are not watched yet.
    fn note(&self, key: &ObjectKey, sources: BTreeSet<Source>) -> BTreeSet<SourceKind> {
        let mut index = self.index();
        let known = index.uses.get(key);
        if known == Some(&sources) || (known.is_none() && sources.is_empty()) {
            return BTreeSet::new();
        }
        index.forget(key);
        let mut unwatched = BTreeSet::new();
        for source in &sources {
            let held = index.users.entry(source.clone()).or_default();
            held.by.insert(key.clone());
            if index.watched.insert(source.0) {
                unwatched.insert(source.0);
            }
        }
        if !sources.is_empty() {
            index.uses.insert(key.clone(), sources);
        }
        unwatched
    }

    /// Forgets an ExternalSecret that is gone.
    pub(crate) fn forget(&self, key: &ObjectKey) {
        self.index().forget(key);
    }

    /// Takes a version of a source; returns its users where that is news. The first version of a
    /// list is none: whoever uses the source reads it anyway.
    fn saw(&self, source: &Source, version: Option<String>, listing: bool) -> Vec<ObjectKey> {
        let mut index = self.index();
        let Some(used) = index.users.get_mut(source) else {
            return Vec::new();
        };
        let is_first = listing && used.version.is_none();
        let is_same = used.version == version;
        used.version = version;
        if is_first || is_same {
            return Vec::new();
        }
        used.by.iter().cloned().collect()
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        // Every change is complete in itself, so a panic elsewhere leaves it usable.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Index {
    fn forget(&mut self, key: &ObjectKey) {
        for source in self.uses.remove(key).into_iter().flatten() {
            if let Some(used) = self.users.get_mut(&source) {
                used.by.remove(key);
                if used.by.is_empty() {
                    self.users.remove(&source);
                }
            }
        }
    }
}

/// Notes the sources of an object that is about to run, and watches their kinds from then on.
pub(crate) fn note(shared: &Arc<Shared>, key: &ObjectKey, object: &ExternalSecret) {
    let uses = template_sources(object).into_iter();
    let uses = uses
        .map(|source| (source.kind, ObjectKey::new(key.namespace(), &source.name)))
        .collect();
    for kind in shared.sources.note(key, uses) {
        match kind {
            SourceKind::ConfigMap => start::<ConfigMap>(shared, kind),
            SourceKind::Secret => start::<Secret>(shared, kind),
        }
    }
}

fn start<K>(shared: &Arc<Shared>, kind: SourceKind)
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let client = shared.client.clone();
    let api: Api<Guarded<PartialObjectMeta<K>>> = match &shared.namespace {
        Some(namespace) => Api::namespaced(client, namespace),
        None => Api::all(client),
    };
    // The operator is ready without it: sources are read with every refresh in any case.
    let component = Readiness::default().register(K::plural(&()));
    let changes = watch(api, watch::Settings::default(), component);
    spawn(
        "template sources",
        follow(Arc::clone(shared), kind, changes),
    );
}

/// Refreshes the users of whatever changes.
async fn follow<K>(
    shared: Arc<Shared>,
    kind: SourceKind,
    changes: impl Stream<Item = Change<PartialObjectMeta<K>>>,
) {
    let mut changes = std::pin::pin!(changes);
    let mut listing = true;
    while let Some(change) = changes.next().await {
        let (metadata, is_there) = match change {
            Change::Applied(object) => (object.metadata, true),
            Change::Deleted(object) => (object.metadata, false),
            Change::Reset => {
                listing = true;
                continue;
            }
            Change::Synced => {
                listing = false;
                continue;
            }
            Change::Invalid(_) => continue,
        };
        let key = ObjectKey::new(
            metadata.namespace.as_deref().unwrap_or_default(),
            metadata.name.as_deref().unwrap_or_default(),
        );
        let version = metadata.resource_version.filter(|_| is_there);
        let users = shared.sources.saw(&(kind, key), version, listing);
        refresh(&shared, users);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> ObjectKey {
        ObjectKey::new("ns", name)
    }

    fn map(name: &str) -> Source {
        (SourceKind::ConfigMap, key(name))
    }

    fn saw(sources: &TemplateSources, name: &str, version: &str) -> Vec<ObjectKey> {
        sources.saw(&map(name), Some(version.to_owned()), false)
    }

    fn listed(sources: &TemplateSources, name: &str, version: &str) -> Vec<ObjectKey> {
        sources.saw(&map(name), Some(version.to_owned()), true)
    }

    #[test]
    fn a_changed_source_concerns_its_users_and_nobody_else() {
        let sources = TemplateSources::default();
        sources.note(&key("es"), [map("a")].into());
        sources.note(&key("other"), [map("b")].into());

        assert!(listed(&sources, "a", "1").is_empty());
        assert!(saw(&sources, "a", "1").is_empty());
        assert_eq!(saw(&sources, "a", "2"), [key("es")]);
        assert_eq!(sources.saw(&map("a"), None, false), [key("es")]);
        assert!(saw(&sources, "c", "1").is_empty());
    }

    #[test]
    fn a_source_that_appears_concerns_those_who_wait_for_it() {
        let sources = TemplateSources::default();
        sources.note(&key("es"), [map("a")].into());

        assert_eq!(saw(&sources, "a", "1"), [key("es")]);
    }

    #[test]
    fn a_change_that_a_new_list_shows_is_news() {
        let sources = TemplateSources::default();
        sources.note(&key("es"), [map("a")].into());
        listed(&sources, "a", "1");

        assert_eq!(listed(&sources, "a", "2"), [key("es")]);
    }

    #[test]
    fn each_kind_is_watched_once_and_only_when_it_is_used() {
        let sources = TemplateSources::default();

        assert!(sources.note(&key("es"), BTreeSet::new()).is_empty());
        assert_eq!(
            sources.note(&key("es"), [map("a")].into()),
            [SourceKind::ConfigMap].into()
        );
        assert!(sources.note(&key("es"), [map("b")].into()).is_empty());
    }

    #[test]
    fn nothing_is_kept_of_sources_that_nobody_uses() {
        let sources = TemplateSources::default();
        sources.note(&key("es"), [map("a"), map("b")].into());
        sources.note(&key("es"), [map("b")].into());
        sources.forget(&key("es"));

        let index = sources.index();
        assert!(index.users.is_empty() && index.uses.is_empty());
    }
}
