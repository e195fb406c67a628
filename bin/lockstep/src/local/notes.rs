//! What changed between two rounds of `--watch`, one line each. Nothing is printed for a round that
//! changed nothing, and no value ever.

use std::collections::{BTreeMap, BTreeSet};

use super::manifests::Manifests;
use super::out::Written;
use super::report::keys;
use super::view::{Health, View};

/// What the last round was told as.
#[derive(Default)]
pub(crate) struct Notes {
    objects: BTreeMap<String, String>,
    secrets: BTreeMap<String, (String, String)>,
    problems: BTreeSet<String>,
}

impl Notes {
    /// What a round can be told as.
    pub(crate) fn of(view: &View, manifests: &Manifests, written: Option<&Written>) -> Self {
        let mut objects = BTreeMap::new();
        for store in &view.stores {
            let namespace = store
                .key
                .namespace
                .iter()
                .map(|namespace| format!("{namespace}/"));
            let namespace: String = namespace.collect();
            let object = format!("{} {namespace}{}", store.key.kind, store.key.name);
            objects.insert(object, said(&store.health));
        }
        for object in &view.objects {
            objects.insert(
                format!("ExternalSecret {}", object.name),
                said(&object.health),
            );
        }
        let secrets = view.secrets.iter().map(|(name, secret)| {
            let version = secret.metadata.resource_version.clone().unwrap_or_default();
            (format!("Secret {name}"), (version, keys(secret)))
        });
        let problems = manifests.problems.iter().map(ToString::to_string);
        let failures = written.iter().flat_map(|written| &written.failures);
        let failures = failures.map(|(name, text)| format!("Secret {name}: {text}"));
        Self {
            objects,
            secrets: secrets.collect(),
            problems: problems.chain(failures).collect(),
        }
    }

    /// Lines for what is new since `earlier`.
    pub(crate) fn since(&self, earlier: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        for problem in self.problems.difference(&earlier.problems) {
            lines.push(format!("fault: {problem}"));
        }
        for problem in earlier.problems.difference(&self.problems) {
            lines.push(format!("mended: {problem}"));
        }
        for (object, said) in &self.objects {
            if earlier.objects.get(object) != Some(said) {
                lines.push(format!("{object}: {said}"));
            }
        }
        for (name, (version, keys)) in &self.secrets {
            match earlier.secrets.get(name) {
                None => lines.push(format!("{name}: created: {keys}")),
                Some((before, _)) if before != version => {
                    lines.push(format!("{name}: changed: {keys}"));
                }
                Some(_) => {}
            }
        }
        let gone =
            |name: &&String| !self.objects.contains_key(*name) && !self.secrets.contains_key(*name);
        let names = earlier.objects.keys().chain(earlier.secrets.keys());
        lines.extend(names.filter(gone).map(|name| format!("{name}: gone")));
        lines
    }
}

fn said(health: &Health) -> String {
    if health.is_foreign {
        return "left alone".to_owned();
    }
    let mut text = health.reason().to_owned();
    if health.is_failed() {
        text = format!("{text}: {}", health.message());
        if let Some(hint) = &health.hint {
            text = format!("{text}; {hint}");
        }
    }
    text
}
