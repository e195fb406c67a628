//! Decisions about PushSecrets, on objects from YAML and without any input or output.

mod decisions;
mod entries;
mod grace;
mod records;

use std::collections::BTreeMap;

use jiff::Timestamp;
use lockstep_api::{PushSecret, keys};
use lockstep_provider_api::SecretMap;
use lockstep_template::Budget;

use super::*;
use crate::external_secret::TemplateSources;
use crate::settings::Settings;
use crate::testing::{NAMESPACE, Stores, lookup, map, noon, ready_store};
use crate::work::Work;
use crate::{Failure, StoreView};

/// A PushSecret `ps` in `ns` with this spec.
fn push_secret(spec: &str) -> PushSecret {
    let mut object = PushSecret::new("ps", serde_saphyr::from_str(spec).unwrap());
    object.metadata.namespace = Some(NAMESPACE.to_owned());
    object.metadata.uid = Some("ps-uid".to_owned());
    object.metadata.generation = Some(1);
    object.metadata.resource_version = Some("7".to_owned());
    object
}

/// Key `a` of Secret `src` to `r` in store `s`, and more spec.
fn one_key(more: &str) -> PushSecret {
    push_secret(&format!(
        "secretStoreRefs: [{{name: s}}]\n\
         selector: {{secret: {{name: src}}}}\n\
         data: [{{match: {{secretKey: a, remoteRef: {{remoteKey: r}}}}}}]\n{more}"
    ))
}

/// What surrounds an object in a test.
struct Scene {
    object: PushSecret,
    labels: BTreeMap<String, String>,
    stores: Stores,
    inputs_changed: bool,
    doomed_since: Option<Timestamp>,
    settings: Settings,
}

impl Scene {
    fn of(object: PushSecret) -> Self {
        Self {
            object,
            labels: BTreeMap::new(),
            stores: lookup([StoreView::of(&ready_store("s"))]),
            inputs_changed: false,
            doomed_since: None,
            settings: Settings::default(),
        }
    }

    fn observed(&self) -> Observed<'_> {
        Observed {
            object: self.object.clone(),
            namespace_labels: Some(std::sync::Arc::new(self.labels.clone())),
            stores: &self.stores,
            last_refresh: None,
            inputs_changed: self.inputs_changed,
            doomed_since: self.doomed_since,
            jitter: 0.0,
        }
    }

    fn decide(&self) -> Verdict {
        decide(&self.observed(), &self.settings, noon())
    }

    fn resolved(&self) -> Resolved {
        resolve(&self.observed(), &self.settings).unwrap()
    }

    fn plan(&self, data: SecretMap) -> Result<PushPlan, Failure> {
        let source = Source {
            data,
            ..Source::default()
        };
        self.plan_all(vec![source])
    }

    fn plan_all(&self, sources: Vec<Source>) -> Result<PushPlan, Failure> {
        let stores = self.resolved().ours;
        let budget = Budget::new(self.settings.template_limits);
        let work = Work {
            settings: &self.settings,
            now: noon(),
            budget: &budget,
        };
        let templates = TemplateSources::new();
        plan(&self.observed(), &stores, sources, &templates, work)
    }

    /// Runs a push in which every entry ends as `done` says, and reports it.
    fn push(&mut self, data: SecretMap, done: impl Fn(&Entry) -> Done, now: Timestamp) -> Report {
        let plan = self.plan(data).unwrap();
        let outcomes = plan.stores.iter().map(|push| {
            let entries = push.entries.as_deref().unwrap_or_default();
            entries.iter().map(&done).collect()
        });
        let outcomes = outcomes.collect();
        let (record, failure) = settle(&self.observed(), &self.resolved(), plan, outcomes);
        let settled = failure.map_or(Settled::Synced, Settled::Failed);
        let applied = Applied {
            record,
            settled,
            pending: None,
        };
        let report = report(&self.observed(), applied, &self.settings, now);
        if let Some(status) = &report.status {
            self.object.status = Some(status.clone());
        }
        report
    }

    /// The same for one key that is written.
    fn written(&mut self) -> Report {
        self.push(map([("a", "1")]), |_| Done::Written, noon())
    }
}

/// Names in the record of an object.
fn recorded(object: &PushSecret) -> Vec<String> {
    let record = object
        .status
        .as_ref()
        .map(|status| &status.synced_push_secrets);
    let stores = record.into_iter().flatten();
    let names = stores
        .flat_map(|(store, entries)| entries.keys().map(move |entry| format!("{store}: {entry}")));
    names.collect()
}

/// Ready condition as `status reason: message`.
fn condition(object: &PushSecret) -> String {
    let status = object.status.as_ref().unwrap();
    let ready = &status.conditions[0];
    let text = |part: &Option<String>| part.clone().unwrap_or_default();
    format!(
        "{} {}: {}",
        ready.status,
        text(&ready.reason),
        text(&ready.message)
    )
}

fn finalized(mut object: PushSecret) -> PushSecret {
    object.metadata.finalizers = Some(vec![keys::FINALIZER_PUSH_SECRET.to_owned()]);
    object
}
