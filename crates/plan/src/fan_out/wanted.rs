//! Which namespaces an object wants: by labels or by name, compiled once. One match is enough.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::core::{Selector, SelectorExt};

use super::Parent;
use crate::selector;

/// Compiled selectors of an object.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    selectors: Vec<Selector>,
    names: BTreeSet<String>,
}

impl Wanted {
    /// Compiles what an object says; an error names the selector that cannot be read.
    pub fn of<P: Parent>(object: &P) -> Result<Self, String> {
        let selectors = object.selectors().into_iter();
        let selectors = selectors.map(|(field, selector)| compiled(&field, selector));
        Ok(Self {
            selectors: selectors.collect::<Result<_, _>>()?,
            names: object.names().iter().cloned().collect(),
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
