//! Which namespaces an object wants: by labels or by name, compiled once. One match is enough.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::core::{Selector, SelectorExt};
use lockstep_api::fan_out::ClusterExternalSecretSpec;

use crate::selector;

/// Compiled selectors of an object.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    selectors: Vec<Selector>,
    names: BTreeSet<String>,
}

impl Wanted {
    /// Compiles what a spec says; an error names the selector that cannot be read.
    pub fn of(spec: &ClusterExternalSecretSpec) -> Result<Self, String> {
        let single = spec.namespace_selector.iter();
        let single = single.map(|selector| ("spec.namespaceSelector".to_owned(), selector));
        let several = spec.namespace_selectors.iter().enumerate();
        let several =
            several.map(|(at, selector)| (format!("spec.namespaceSelectors[{at}]"), selector));
        let selectors = single
            .chain(several)
            .map(|(field, selector)| compiled(&field, selector));
        Ok(Self {
            selectors: selectors.collect::<Result<_, _>>()?,
            names: spec.namespaces.iter().cloned().collect(),
        })
    }

    /// Whether a namespace with these labels is wanted.
    pub fn contains(&self, namespace: &str, labels: &BTreeMap<String, String>) -> bool {
        let selected = self.selectors.iter().any(|one| one.matches(labels));
        selected || self.names.contains(namespace)
    }
}

fn compiled(field: &str, selector: &LabelSelector) -> Result<Selector, String> {
    selector::compile(selector).map_err(|error| format!("{field} cannot be read: {error}"))
}
