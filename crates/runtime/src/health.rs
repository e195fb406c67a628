//! What the program waits for, by name: watches that have no list yet, a lease, an API server. Told
//! by `/readyz` and logged once for each change of reason. Once something was ready it stays so;
//! later trouble is shown but does not end readiness, or an outage of the API server would restart
//! what waits for it. Liveness is never in doubt here.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use parking_lot::Mutex;

/// What a part waits for that was registered just now.
const NOT_STARTED: &str = "not started yet";

/// The readiness of all parts of the process. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<Mutex<BTreeMap<String, State>>>);

#[derive(Clone, Debug, Default)]
struct State {
    ready: bool,
    trouble: Option<String>,
}

/// One part that is waited for.
#[derive(Clone, Debug)]
pub struct Component {
    readiness: Readiness,
    name: Arc<str>,
}

impl Readiness {
    /// Adds a part that is not ready yet.
    pub fn register(&self, name: impl Into<String>) -> Component {
        let name = name.into();
        let state = State {
            ready: false,
            trouble: Some(NOT_STARTED.to_owned()),
        };
        self.0.lock().insert(name.clone(), state);
        Component {
            readiness: self.clone(),
            name: name.into(),
        }
    }

    /// Whether nothing is waited for.
    pub fn is_ready(&self) -> bool {
        self.0.lock().values().all(|state| state.ready)
    }

    /// What is waited for, and why.
    pub fn waiting(&self) -> Vec<(String, String)> {
        let parts = self.0.lock();
        let waiting = parts.iter().filter(|(_, state)| !state.ready);
        waiting
            .map(|(name, state)| (name.clone(), state.trouble.clone().unwrap_or_default()))
            .collect()
    }

    /// Parts that do not work at present, and why; those that were ready before included.
    pub fn troubles(&self) -> Vec<(String, String)> {
        let parts = self.0.lock();
        let troubles = parts.iter().filter_map(|(name, state)| {
            let trouble = state.trouble.as_deref()?;
            (trouble != NOT_STARTED).then(|| (name.clone(), trouble.to_owned()))
        });
        troubles.collect()
    }

    /// The state of one part, if there is such a part: `Ok` when ready, or what it waits for.
    pub fn check(&self, name: &str) -> Option<Result<(), String>> {
        let parts = self.0.lock();
        let state = parts.get(name)?;
        Some(if state.ready {
            Ok(())
        } else {
            Err(state.trouble.clone().unwrap_or_default())
        })
    }

    /// One line for each part, as Kubernetes' own health endpoints write them.
    pub fn report(&self) -> String {
        let mut report = String::new();
        for (name, state) in self.0.lock().iter() {
            // Writing to a string cannot fail.
            let _ = match (state.ready, &state.trouble) {
                (true, None) => writeln!(report, "[+]{name} ok"),
                (true, Some(trouble)) => writeln!(report, "[+]{name} ok, but: {trouble}"),
                (false, trouble) => {
                    let trouble = trouble.as_deref().unwrap_or("unknown");
                    writeln!(report, "[-]{name} not ready: {trouble}")
                }
            };
        }
        report
    }
}

impl Component {
    /// Name of the part.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The part works.
    pub fn ready(&self) {
        let new = State {
            ready: true,
            trouble: None,
        };
        let old = self.replace(|_| new);
        if !old.ready || old.trouble.is_some() {
            tracing::info!(component = %self.name, "ready");
        }
    }

    /// The part does all it can for now, and this is what people should know. Logged when news.
    pub fn ready_but(&self, note: impl Into<String>) {
        let note = note.into();
        let old = self.replace(|_| State {
            ready: true,
            trouble: Some(note.clone()),
        });
        if old.trouble.as_deref() != Some(note.as_str()) {
            tracing::info!(component = %self.name, %note, "ready");
        }
    }

    /// The part waits for something. Logged when the reason is news.
    pub fn waiting(&self, reason: impl Into<String>) {
        let reason = reason.into();
        let old = self.replace(|old| State {
            ready: old.ready,
            trouble: Some(reason.clone()),
        });
        if old.trouble.as_deref() != Some(reason.as_str()) {
            tracing::warn!(component = %self.name, %reason, "waiting");
        }
    }

    fn replace(&self, change: impl FnOnce(&State) -> State) -> State {
        let mut parts = self.readiness.0.lock();
        let state = parts.entry(self.name.to_string()).or_default();
        let new = change(state);
        std::mem::replace(state, new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_registered_must_become_ready() {
        let readiness = Readiness::default();
        let stores = readiness.register("secretstores");
        let secrets = readiness.register("secrets");
        stores.waiting("no such kind on the server");
        secrets.ready();

        assert!(!readiness.is_ready());
        assert_eq!(
            readiness.waiting(),
            [(
                "secretstores".to_owned(),
                "no such kind on the server".to_owned()
            )]
        );
        stores.ready();
        assert!(readiness.is_ready());
    }

    #[test]
    fn later_trouble_is_told_but_takes_no_readiness_away() {
        let readiness = Readiness::default();
        let stores = readiness.register("secretstores");
        stores.ready();

        stores.waiting("server unreachable");

        assert!(readiness.is_ready());
        assert_eq!(
            readiness.report(),
            "[+]secretstores ok, but: server unreachable\n"
        );
        let trouble = ("secretstores".to_owned(), "server unreachable".to_owned());
        assert_eq!(readiness.troubles(), [trouble]);
        stores.ready();
        readiness.register("secrets");
        assert_eq!(readiness.troubles(), []);
    }

    #[test]
    fn a_part_can_be_asked_about_by_name() {
        let readiness = Readiness::default();
        readiness.register("lease").waiting("held by another");

        assert_eq!(
            readiness.check("lease"),
            Some(Err("held by another".to_owned()))
        );
        assert_eq!(readiness.check("nothing"), None);
    }
}
