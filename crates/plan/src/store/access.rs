//! Namespaces that may use a ClusterSecretStore: its `spec.conditions`, compiled once. One match of
//! any member of any condition is enough; members are tried in order, and a broken one is an error
//! only when nothing before it matched. A selector never matches labels that are not known: `NotIn`
//! and `DoesNotExist` would admit every namespace.

use std::collections::BTreeMap;

use kube::core::{Selector, SelectorExt};
use lockstep_api::store::StoreCondition;
use lockstep_template::Budget;

use crate::pattern::{self, Pattern};
use crate::selector;

/// Compiled conditions of a store.
#[derive(Clone, Debug, Default)]
pub struct Access(Vec<Condition>);

#[derive(Clone, Debug)]
struct Condition {
    selector: Option<Result<Selector, String>>,
    namespaces: Vec<String>,
    patterns: Vec<Result<Pattern, String>>,
}

/// Why a namespace may not use a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denied {
    /// No condition matches.
    NoMatch,
    /// No condition matches without the labels of the namespace, and those are not known.
    LabelsUnknown,
    /// A condition cannot be read.
    Broken(String),
}

impl Access {
    /// Compiles conditions; broken ones are kept as errors.
    pub fn of(conditions: &[StoreCondition]) -> Self {
        let budget = pattern::store_budget();
        let compiled = conditions.iter().map(|one| Condition::of(one, &budget));
        Self(compiled.collect())
    }

    /// Whether a namespace may use the store. `labels` are those of the namespace; `None` says that
    /// they are not known.
    pub fn check(
        &self,
        namespace: &str,
        labels: Option<&BTreeMap<String, String>>,
    ) -> Result<(), Denied> {
        if self.0.is_empty() {
            return Ok(());
        }
        for condition in &self.0 {
            if condition
                .admits(namespace, labels)
                .map_err(Denied::Broken)?
            {
                return Ok(());
            }
        }
        if labels.is_none() && self.reads_labels() {
            return Err(Denied::LabelsUnknown);
        }
        Err(Denied::NoMatch)
    }

    /// Whether the answer may depend on the labels of a namespace.
    pub fn reads_labels(&self) -> bool {
        let mut selectors = self.0.iter().filter_map(|one| one.selector.as_ref());
        selectors.any(|selector| selector.as_ref().is_ok_and(|one| !one.selects_all()))
    }
}

impl Condition {
    fn of(condition: &StoreCondition, budget: &Budget) -> Self {
        let selector = condition.namespace_selector.as_ref();
        let compile = |text: &String| {
            Pattern::compile_within(text, budget)
                .map_err(|error| format!("failed to compile regex {text}: {error}"))
        };
        Self {
            selector: selector.map(|selector| selector::compile(selector).map_err(unreadable)),
            namespaces: condition.namespaces.clone(),
            patterns: condition.namespace_regexes.iter().map(compile).collect(),
        }
    }

    fn admits(
        &self,
        namespace: &str,
        labels: Option<&BTreeMap<String, String>>,
    ) -> Result<bool, String> {
        if let Some(selector) = &self.selector {
            let selector = selector.as_ref().map_err(Clone::clone)?;
            if selector.selects_all() || labels.is_some_and(|labels| selector.matches(labels)) {
                return Ok(true);
            }
        }
        if self.namespaces.iter().any(|named| named == namespace) {
            return Ok(true);
        }
        for pattern in &self.patterns {
            if pattern.as_ref().map_err(Clone::clone)?.is_match(namespace) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn unreadable(error: impl std::fmt::Display) -> String {
    format!("spec.conditions.namespaceSelector cannot be read: {error}")
}
