//! The stores of a PushSecret: which ones it names, which of them are pushed to, and which must stay
//! because something may still have to be deleted through them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube::core::{Selector, SelectorExt};
use lockstep_api::PushSecret;
use lockstep_api::external_secret::StoreKind as WrittenKind;
use lockstep_api::push_secret::{PushDeletionPolicy, PushStoreRef};
use lockstep_provider_api::error::Retry;

use super::Observed;
use super::names::{namespace, store_of};
use crate::cause::Cause;
use crate::failure::Failure;
use crate::selector;
use crate::settings::Settings;
use crate::store::{StoreKey, StoreKind, StoreView, UnsupportedKind, allow, not_found};

/// Stores an object names, sorted.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// Those that are pushed to.
    pub ours: Vec<Arc<StoreView>>,
    /// Those that are left alone: being deleted, or of another controller class. What was pushed to
    /// them stays as it is.
    pub skipped: BTreeSet<StoreKey>,
    /// The first of them that is of our class and being deleted.
    pub deleting: Option<StoreKey>,
    /// Whether there are some, and all of them are of another controller class.
    pub foreign: bool,
}

impl Resolved {
    /// What a push fails with although all others succeed: one of the stores is being deleted.
    pub fn blocked(&self) -> Option<Failure> {
        self.deleting.as_ref().map(being_deleted)
    }
}

/// One entry of `secretStoreRefs`.
#[derive(Clone, Debug)]
enum Reference {
    Named(StoreKey),
    Labelled(StoreKind, Selector),
}

impl Reference {
    fn of(written: &PushStoreRef, namespace: &str) -> Result<Self, String> {
        let kind = kind_of(written.kind()).map_err(|error| error.to_string())?;
        if let Some(selector) = &written.label_selector {
            let compiled = selector::compile(selector)
                .map_err(|fault| format!("could not convert labels: {fault}"))?;
            return Ok(Self::Labelled(kind, compiled));
        }
        let name = written.name.as_deref().filter(|name| !name.is_empty());
        let name = name.ok_or("refStore Name must be provided")?;
        Ok(Self::Named(match kind {
            StoreKind::SecretStore => StoreKey::namespaced(namespace, name),
            StoreKind::ClusterSecretStore => StoreKey::cluster(name),
        }))
    }

    fn means(&self, store: &StoreView, namespace: &str) -> bool {
        match self {
            Self::Named(key) => *key == store.key,
            Self::Labelled(kind, selector) => {
                let own = store.key.namespace.as_deref();
                *kind == store.key.kind
                    && own.is_none_or(|own| own == namespace)
                    && selector.matches(&store.labels)
            }
        }
    }
}

pub(super) fn kind_of(written: &WrittenKind) -> Result<StoreKind, UnsupportedKind> {
    match written {
        WrittenKind::SecretStore => Ok(StoreKind::SecretStore),
        WrittenKind::ClusterSecretStore => Ok(StoreKind::ClusterSecretStore),
        WrittenKind::Unknown(kind) if kind.is_empty() => Ok(StoreKind::SecretStore),
        WrittenKind::Unknown(kind) => Err(UnsupportedKind(kind.to_string())),
    }
}

/// Looks the stores of an object up. A named store that is not there is a failure; labels that match
/// none are not.
pub fn resolve(observed: &Observed<'_>, settings: &Settings) -> Result<Resolved, Failure> {
    let object = &observed.object;
    let mut found: BTreeMap<StoreKey, Arc<StoreView>> = BTreeMap::new();
    for written in &object.spec.secret_store_refs {
        let reference = Reference::of(written, namespace(object))
            .map_err(|text| Failure::worded(Cause::INVALID_SPEC, text))?;
        match &reference {
            Reference::Named(key) => {
                let store = observed.stores.store(key).ok_or_else(|| missing(key))?;
                found.insert(key.clone(), store);
            }
            Reference::Labelled(kind, selector) => {
                let stores = observed.stores.stores(*kind, namespace(object));
                let matching = stores
                    .into_iter()
                    .filter(|store| selector.matches(&store.labels));
                found.extend(matching.map(|store| (store.key.clone(), store)));
            }
        }
    }
    let is_foreign = |store: &Arc<StoreView>| store.is_foreign_to(&settings.class);
    let mut resolved = Resolved {
        foreign: !found.is_empty() && found.values().all(is_foreign),
        ..Resolved::default()
    };
    for (key, store) in found {
        if store.deleting || is_foreign(&store) {
            if !is_foreign(&store) {
                resolved.deleting.get_or_insert_with(|| key.clone());
            }
            resolved.skipped.insert(key);
        } else {
            resolved.ours.push(store);
        }
    }
    Ok(resolved)
}

/// The failure of a push to a store that is being deleted.
fn being_deleted(key: &StoreKey) -> Failure {
    let text = format!(
        "{key} is being deleted, so nothing is pushed to it; name another store, or delete this \
         PushSecret"
    );
    Failure::worded(Cause::STORE_NOT_USABLE, text).from_store(key.clone())
}

fn missing(key: &StoreKey) -> Failure {
    Failure::worded(Cause::STORE_NOT_FOUND, not_found(key))
        .from_store(key.clone())
        .retrying(Retry::Slow)
}

/// Whether something may be deleted through a store that is in the record. It need not be ready: a
/// clean-up is tried in any case.
pub fn deletable(
    observed: &Observed<'_>,
    key: &StoreKey,
    settings: &Settings,
) -> Result<Arc<StoreView>, String> {
    let store = observed.stores.store(key).ok_or_else(|| not_found(key))?;
    let caller = (
        namespace(&observed.object),
        observed.namespace_labels.as_deref(),
    );
    let allowed = allow(&store, caller, settings).map_err(|refusal| refusal.text);
    allowed.map(|()| store)
}

/// What an object has to do with stores, made once a change of the object.
#[derive(Clone, Debug, Default)]
pub struct StoreUses {
    namespace: String,
    references: Vec<Reference>,
    recorded: BTreeSet<StoreKey>,
    deletes: bool,
}

impl StoreUses {
    /// The uses of an object. References that cannot be read use nothing.
    pub fn of(object: &PushSecret) -> Self {
        let own = namespace(object);
        let written = object.spec.secret_store_refs.iter();
        let record = object
            .status
            .as_ref()
            .map(|status| &status.synced_push_secrets);
        let words = record.into_iter().flatten().map(|(word, _)| word);
        Self {
            namespace: own.to_owned(),
            references: written
                .filter_map(|written| Reference::of(written, own).ok())
                .collect(),
            recorded: words.filter_map(|word| store_of(word, own)).collect(),
            deletes: *object.spec.deletion_policy() == PushDeletionPolicy::Delete,
        }
    }

    /// Whether the object pushes to a store.
    pub fn pushes_to(&self, store: &StoreView) -> bool {
        let mut references = self.references.iter();
        references.any(|reference| reference.means(store, &self.namespace))
    }

    /// The stores it names.
    pub fn named(&self) -> Vec<StoreKey> {
        let named = self.references.iter().filter_map(|one| match one {
            Reference::Named(key) => Some(key.clone()),
            Reference::Labelled(..) => None,
        });
        named.collect()
    }

    /// Whether there are stores that must stay at all.
    pub fn keeps_stores(&self) -> bool {
        self.deletes
    }

    /// Whether a store must stay until the object has let it go.
    pub fn needs(&self, store: &StoreView) -> bool {
        self.deletes && (self.recorded.contains(&store.key) || self.pushes_to(store))
    }
}
