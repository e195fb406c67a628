//! Which objects the manifests concern, and why: those that change, and those that read from something that
//! does. Pure.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_api::{ExternalSecret, PushSecret};
use lockstep_index::ObjectKey;
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::{SourceKind, store_keys, template_sources};
use lockstep_plan::push_secret::{SourceRef, StoreUses, source};

use super::inputs::Input;
use super::{Applied, Change, Job, Ran, store_name};
use crate::intent::Intent;
use crate::observe::Look;
use crate::scene::Scene;

/// What changes below the objects.
pub(super) struct Affected {
    stores: BTreeMap<StoreKey, &'static str>,
    inputs: BTreeSet<Input>,
    refresh: bool,
}

impl Affected {
    pub(super) fn new(applied: &Applied, inputs: BTreeSet<Input>, refresh: bool) -> Self {
        let stores = applied
            .stores
            .iter()
            .filter_map(|(key, change)| match change {
                Change::New => Some((key.clone(), "is new")),
                Change::Changed(_) => Some((key.clone(), "changes")),
                Change::Same => None,
            });
        Self {
            stores: stores.collect(),
            inputs,
            refresh,
        }
    }

    /// How an ExternalSecret of the manifests runs.
    pub(super) fn given(&self, object: &ExternalSecret, applied: &Applied) -> Job<ExternalSecret> {
        let key = ObjectKey::of(&object.metadata);
        let mut causes = own_cause(("ExternalSecret", &key), applied.external_secrets.get(&key));
        let below = self.below(object);
        let look = self.look(!below.is_empty());
        causes.extend(below);
        Job {
            object: object.clone(),
            look,
            causes,
        }
    }

    /// How an ExternalSecret that is there and not among the manifests runs, if they concern it.
    pub(super) fn live(&self, object: &ExternalSecret) -> Option<Job<ExternalSecret>> {
        let causes = self.below(object);
        (!causes.is_empty()).then(|| Job {
            object: object.clone(),
            look: Look::Refreshed,
            causes,
        })
    }

    /// How a PushSecret of the manifests runs.
    pub(super) fn given_push(&self, object: &PushSecret, applied: &Applied) -> Job<PushSecret> {
        let key = ObjectKey::of(&object.metadata);
        let mut causes = own_cause(("PushSecret", &key), applied.push_secrets.get(&key));
        let named = StoreUses::of(object).named();
        let below: Vec<String> = self.stores_of(named.iter()).collect();
        let look = self.look(!below.is_empty());
        causes.extend(below);
        Job {
            object: object.clone(),
            look,
            causes,
        }
    }

    /// Adds the PushSecrets whose source changes: a Secret of the manifests, or one that a run wrote.
    pub(super) fn sources(
        &self,
        scene: &Scene,
        runs: &[Ran],
        jobs: &mut BTreeMap<ObjectKey, Job<PushSecret>>,
    ) {
        let mut changed: BTreeSet<ObjectKey> = BTreeSet::new();
        for (kind, key) in &self.inputs {
            if *kind == SourceKind::Secret {
                changed.insert(key.clone());
            }
        }
        for intent in runs.iter().flat_map(|ran| &ran.run.intents) {
            if let Intent::Secret { key, .. } = intent {
                changed.insert(key.clone());
            }
        }
        let live = scene.present.objects.push_secrets.iter();
        for (key, object) in live.chain(&scene.given.push_secrets) {
            let Some(SourceRef::Named(name)) = source(object) else {
                continue;
            };
            let from = ObjectKey::new(key.namespace(), name);
            if !changed.contains(&from) {
                continue;
            }
            let job = jobs.entry(key.clone()).or_insert_with(|| Job {
                object: object.clone(),
                look: Look::Refreshed,
                causes: Vec::new(),
            });
            job.look = Look::Refreshed;
            let cause = format!("its source Secret {from} changes");
            if !job.causes.contains(&cause) {
                job.causes.push(cause);
            }
        }
    }

    fn look(&self, concerned: bool) -> Look {
        if concerned || self.refresh {
            Look::Refreshed
        } else {
            Look::AsItStands
        }
    }

    /// Why what an object reads from changes.
    fn below(&self, object: &ExternalSecret) -> Vec<String> {
        let stores = store_keys(object);
        let mut causes: Vec<String> = self.stores_of(stores.iter()).collect();
        let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
        for source in template_sources(object) {
            let key = ObjectKey::new(namespace, &source.name);
            let word = match source.kind {
                SourceKind::Secret => "Secret",
                SourceKind::ConfigMap => "ConfigMap",
            };
            if self.inputs.contains(&(source.kind, key.clone())) {
                causes.push(format!("its template source {word} {key} changes"));
            }
        }
        causes
    }

    fn stores_of<'a>(
        &'a self,
        stores: impl Iterator<Item = &'a StoreKey> + 'a,
    ) -> impl Iterator<Item = String> + 'a {
        stores.filter_map(|key| {
            let what = self.stores.get(key)?;
            Some(format!("{} {what}", store_name(key)))
        })
    }
}

fn own_cause((kind, key): (&str, &ObjectKey), change: Option<&Change>) -> Vec<String> {
    match change {
        Some(Change::New) => vec![format!("{kind} {key} is new")],
        Some(Change::Changed(paths)) => {
            vec![format!("{kind} {key} changes: {}", paths.join(", "))]
        }
        _ => Vec::new(),
    }
}
