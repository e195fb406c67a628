//! Counts calls by store and by the namespace they were made for, so that metrics show which namespace
//! causes the load on a backend. A shared read counts for the namespace that started it. The number of
//! series is limited; beyond the limit, calls count without a namespace.

use std::collections::BTreeMap;

use lockstep_plan::StoreKey;
use lockstep_provider_api::Error;
use parking_lot::Mutex;

/// Most series; a cluster with more stores and namespaces sees them added up.
const MOST_SERIES: usize = 20_000;

/// What was called, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallSeries {
    /// The store.
    pub store: StoreKey,
    /// Namespace of the object that caused it; empty above the cap.
    pub caller: String,
    /// Which call.
    pub name: &'static str,
    /// Whether it failed.
    pub failed: bool,
}

/// Calls of the process by store, caller, name and end.
#[derive(Debug, Default)]
pub struct CallCounter(Mutex<BTreeMap<CallSeries, u64>>);

impl CallCounter {
    /// Counts one call.
    pub fn count(
        &self,
        store: &StoreKey,
        caller: &str,
        name: &'static str,
        failure: Option<&Error>,
    ) {
        let mut counts = self.0.lock();
        let mut call = CallSeries {
            store: store.clone(),
            caller: caller.to_owned(),
            name,
            failed: failure.is_some(),
        };
        if counts.len() >= MOST_SERIES && !counts.contains_key(&call) {
            call.caller.clear();
        }
        *counts.entry(call).or_insert(0) += 1;
    }

    /// Hands out every count, in order.
    pub fn each(&self, mut with: impl FnMut(&CallSeries, u64)) {
        for (call, count) in self.0.lock().iter() {
            with(call, *count);
        }
    }

    /// Forgets a store that is gone.
    pub(super) fn forget(&self, store: &StoreKey) {
        self.0.lock().retain(|call, _| call.store != *store);
    }
}

#[cfg(test)]
mod tests {
    use lockstep_plan::StoreKind;

    use super::*;

    fn store(name: &str) -> StoreKey {
        StoreKey {
            kind: StoreKind::ClusterSecretStore,
            namespace: None,
            name: name.to_owned(),
        }
    }

    fn lines(calls: &CallCounter) -> Vec<String> {
        let mut lines = Vec::new();
        calls.each(|call, count| {
            let (name, caller) = (&call.store.name, &call.caller);
            lines.push(format!(
                "{name} {caller} {} {} {count}",
                call.name, call.failed
            ));
        });
        lines
    }

    #[test]
    fn calls_count_for_the_namespace_that_caused_them() {
        let calls = CallCounter::default();
        let failure = Error::unreachable("x".to_owned());

        calls.count(&store("s"), "a", "get", None);
        calls.count(&store("s"), "a", "get", None);
        calls.count(&store("s"), "b", "get", Some(&failure));

        assert_eq!(lines(&calls), ["s a get false 2", "s b get true 1"]);
    }

    #[test]
    fn a_store_that_is_gone_is_forgotten() {
        let calls = CallCounter::default();
        calls.count(&store("s"), "a", "get", None);
        calls.count(&store("t"), "a", "get", None);

        calls.forget(&store("s"));

        assert_eq!(lines(&calls), ["t a get false 1"]);
    }

    #[test]
    fn above_the_cap_namespaces_are_added_up() {
        let calls = CallCounter::default();
        for number in 0..MOST_SERIES + 2 {
            calls.count(&store("s"), &number.to_string(), "get", None);
        }

        let lines = lines(&calls);

        assert_eq!(lines.len(), MOST_SERIES + 1);
        assert_eq!(lines[0], "s  get false 2");
    }
}
