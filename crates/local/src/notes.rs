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
    objects: BTreeMap<String, Line>,
    secrets: BTreeMap<String, (String, String)>,
    problems: BTreeSet<String>,
}

/// A line of output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Whether it is printed where only failures were asked for.
    pub(crate) is_failure: bool,
}

impl Line {
    fn news(text: String) -> Self {
        Self {
            text,
            is_failure: false,
        }
    }
}

impl Notes {
    /// What a round can be told as.
    pub(crate) fn of(view: &View, manifests: &Manifests, written: Option<&Written>) -> Self {
        let mut objects = BTreeMap::new();
        for store in &view.stores {
            objects.insert(store.label(), said(&store.health));
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
    pub(crate) fn since(&self, earlier: &Self) -> Vec<Line> {
        let mut lines = Vec::new();
        for problem in self.problems.difference(&earlier.problems) {
            lines.push(Line {
                text: format!("fault: {problem}"),
                is_failure: true,
            });
        }
        for problem in earlier.problems.difference(&self.problems) {
            lines.push(Line::news(format!("fixed: {problem}")));
        }
        for (object, said) in &self.objects {
            if earlier.objects.get(object) != Some(said) {
                lines.push(Line {
                    text: format!("{object}: {}", said.text),
                    ..said.clone()
                });
            }
        }
        for (name, (version, keys)) in &self.secrets {
            match earlier.secrets.get(name) {
                None => lines.push(Line::news(format!("{name}: created: {keys}"))),
                Some((before, _)) if before != version => {
                    lines.push(Line::news(format!("{name}: changed: {keys}")));
                }
                Some(_) => {}
            }
        }
        let gone =
            |name: &&String| !self.objects.contains_key(*name) && !self.secrets.contains_key(*name);
        let names = earlier.objects.keys().chain(earlier.secrets.keys());
        lines.extend(
            names
                .filter(gone)
                .map(|name| Line::news(format!("{name}: gone"))),
        );
        lines
    }
}

fn said(health: &Health) -> Line {
    if health.is_foreign {
        return Line::news("left alone".to_owned());
    }
    let mut text = health.reason().to_owned();
    if health.is_failed() {
        text = format!("{text}: {}", health.message());
        if let Some(hint) = &health.hint {
            text = format!("{text}; {hint}");
        }
    }
    Line {
        text,
        is_failure: health.is_failed(),
    }
}
