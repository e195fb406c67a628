//! A namespace in memory: an ExternalSecret, its stores and Secrets, and an API server that keeps
//! managed fields and resource versions. One call runs the object once, as an engine would.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use lockstep_api::{ClusterSecretStore, ExternalSecret, SecretStore, keys};
use lockstep_plan::external_secret::{
    Applied, Decision, Desired, Mutation, Observed, ObservedTarget, Plan, TargetDelete,
    TargetOutcome, TargetPlan, TemplateSources, confirm_deletion, created_by, decide, mutate, plan,
    report,
};
use lockstep_plan::{Budget, Salt, Settings, StoreKey, StoreView, TargetRow, Work};

use crate::fields::track;
use crate::remote::Remote;
use crate::trace::Trace;

pub(crate) struct World {
    pub(crate) object: ExternalSecret,
    pub(crate) stores: BTreeMap<StoreKey, Arc<StoreView>>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) secrets: BTreeMap<String, Secret>,
    pub(crate) sources: TemplateSources,
    pub(crate) remote: Remote,
    pub(crate) settings: Settings,
    version: u64,
}

impl World {
    pub(crate) fn new(object: ExternalSecret, remote: Remote) -> Self {
        Self {
            object,
            stores: BTreeMap::new(),
            labels: BTreeMap::new(),
            secrets: BTreeMap::new(),
            sources: TemplateSources::new(),
            remote,
            settings: Settings::default(),
            version: 100,
        }
    }

    pub(crate) fn with_store(mut self, store: &SecretStore) -> Self {
        self.add(StoreView::of(store));
        self
    }

    pub(crate) fn with_cluster_store(mut self, store: &ClusterSecretStore) -> Self {
        self.add(StoreView::of(store));
        self
    }

    fn add(&mut self, view: StoreView) {
        self.stores.insert(view.key.clone(), Arc::new(view));
    }

    /// Puts a Secret there as someone else would.
    pub(crate) fn put(&mut self, mut secret: Secret) {
        for (key, value) in secret.string_data.take().into_iter().flatten() {
            let data = secret.data.get_or_insert_default();
            data.insert(key, k8s_openapi::ByteString(value.into_bytes()));
        }
        self.write(secret, "kubectl");
    }

    /// Runs the object once.
    pub(crate) fn run(&mut self, now: Timestamp) -> Trace {
        let mut trace = Trace::default();
        let rows: Vec<Arc<TargetRow>> = self.rows().into_iter().map(Arc::new).collect();
        let target = rows
            .iter()
            .find(|row| &*row.name == self.object.target_name());
        let target = match target {
            Some(row) => ObservedTarget::Row(Arc::clone(row)),
            None => ObservedTarget::Absent,
        };
        let mark = created_by(&self.object);
        let former: Vec<Arc<TargetRow>> = rows
            .iter()
            .filter(|row| row.created_by.as_deref() == Some(mark.as_str()))
            .cloned()
            .collect();
        let object = self.object.clone();
        let observed = Observed {
            object: object.clone(),
            namespace_labels: Some(Arc::new(self.labels.clone())),
            stores: &self.stores.clone(),
            target,
            former_targets: former,
            last_refresh: None,
            inputs_changed: false,
            asked: now,
            sources: self.sources.clone(),
            jitter: 0.0,
        };
        let verdict = decide(&observed, &self.settings, now);
        if verdict.add_finalizer {
            trace.wrote("finalizer added");
            let finalizers = self.object.metadata.finalizers.get_or_insert_default();
            finalizers.push(keys::FINALIZER_EXTERNAL_SECRET.to_owned());
        }
        let applied = match verdict.decision {
            Decision::Fetch(list) => {
                trace.read(&list);
                let answers = self.remote.answer(&list);
                let budget = Budget::new(self.settings.template_limits);
                let work = Work {
                    settings: &self.settings,
                    now,
                    budget: &budget,
                };
                match plan(&observed, &list, &answers, work) {
                    Ok(plan) => self.apply(plan, &mut trace),
                    Err(failure) => Applied::failed(failure),
                }
            }
            Decision::Fail(failure) => Applied::failed(failure),
            Decision::Release(release) => {
                for delete in &release.delete {
                    self.delete(delete, &mut trace);
                }
                trace.wrote("finalizer removed");
                return trace;
            }
            other => {
                trace.decided(&other);
                return trace;
            }
        };
        let report = report(&observed, applied, &self.settings, now);
        if let Some(status) = &report.status {
            self.object.status = Some(status.clone());
        }
        trace.reported(report);
        trace
    }

    fn rows(&self) -> Vec<TargetRow> {
        let managed = self.secrets.values().filter(|secret| {
            let labels = secret.metadata.labels.as_ref();
            labels
                .is_some_and(|labels| labels.get(keys::LABEL_MANAGED).is_some_and(|v| v == "true"))
        });
        managed
            .map(|secret| TargetRow::of(secret, &Salt::default()))
            .collect()
    }

    fn apply(&mut self, plan: Plan, trace: &mut Trace) -> Applied {
        let target = match plan.target {
            TargetPlan::Keep(kept) => TargetOutcome::Kept(kept),
            TargetPlan::InSync => TargetOutcome::Unchanged,
            TargetPlan::Gone => TargetOutcome::Gone,
            TargetPlan::Create(desired) if !self.secrets.contains_key(&desired.name) => {
                self.change(&desired, None, trace)
            }
            TargetPlan::Create(desired) | TargetPlan::Look(desired) => {
                let live = self.secrets.get(&desired.name).cloned();
                self.change(&desired, live.as_ref(), trace)
            }
            TargetPlan::Delete(delete) => self.delete(&delete, trace),
            TargetPlan::Object(plan) => panic!("this world holds Secrets only: {plan:?}"),
            TargetPlan::LookToDelete(name) => {
                let live = self.secrets.get(&name);
                match confirm_deletion(&self.object, live, &self.settings) {
                    Ok(Some(delete)) => self.delete(&delete, trace),
                    Ok(None) => TargetOutcome::Gone,
                    Err(failure) => TargetOutcome::Failed(failure),
                }
            }
        };
        let mut applied = Applied {
            events: plan.events,
            ..Applied::target(target)
        };
        for orphan in &plan.orphans {
            self.delete(orphan, trace);
            applied.orphans_deleted += 1;
        }
        applied
    }

    fn change(
        &mut self,
        desired: &Desired,
        live: Option<&Secret>,
        trace: &mut Trace,
    ) -> TargetOutcome {
        match mutate(desired, live) {
            Ok(Mutation::Unchanged) => TargetOutcome::Unchanged,
            Ok(Mutation::Missing) => TargetOutcome::Missing,
            Ok(Mutation::Create(secret)) => {
                trace.secret("created", &secret);
                self.write(*secret, &desired.manager);
                TargetOutcome::Created
            }
            Ok(Mutation::Replace(secret)) => {
                trace.secret("replaced", &secret);
                self.write(*secret, &desired.manager);
                TargetOutcome::Updated
            }
            Err(failure) => TargetOutcome::Failed(failure),
        }
    }

    fn write(&mut self, mut secret: Secret, manager: &str) {
        self.version += 1;
        let name = secret.metadata.name.clone().unwrap();
        let old = self.secrets.get(&name);
        track(old, &mut secret, manager);
        secret.metadata.resource_version = Some(self.version.to_string());
        secret
            .metadata
            .uid
            .get_or_insert_with(|| format!("uid-of-{name}"));
        self.secrets.insert(name, secret);
    }

    fn delete(&mut self, delete: &TargetDelete, trace: &mut Trace) -> TargetOutcome {
        let held = &self.secrets[&delete.name].metadata;
        assert_eq!(held.uid.as_deref(), Some(delete.uid.as_str()));
        assert_eq!(
            held.resource_version.as_deref(),
            Some(delete.resource_version.as_str())
        );
        trace.wrote(&format!("deleted Secret {}", delete.name));
        self.secrets.remove(&delete.name);
        TargetOutcome::Deleted
    }
}
