//! Watches the healthy tenants: when their objects became ready, which of them turned not ready
//! again, and which of their Secrets were deleted. The threads end with the process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::manifest;
use serde_json::Value;

use crate::tenants;

/// What the watches saw.
#[derive(Clone, Default)]
pub(crate) struct Follow {
    shared: Arc<(Mutex<Seen>, Condvar)>,
}

#[derive(Default)]
struct Seen {
    /// Objects by name, with the time they first were ready.
    ready: BTreeMap<String, Instant>,
    /// Objects that turned not ready, with the message.
    fell: BTreeMap<String, String>,
    /// Secrets that were deleted.
    lost: BTreeSet<String>,
    /// Begins the names of the round's new objects.
    round: String,
    broken: Option<String>,
}

impl Follow {
    /// Starts the watches.
    pub(crate) fn start(cluster: &Cluster) -> Result<Self> {
        let follow = Self::default();
        for namespace in tenants::NAMESPACES {
            let group = "/apis/external-secrets.io/v1";
            let objects = format!("{group}/namespaces/{namespace}/externalsecrets");
            follow.watch(cluster, &objects, Self::object)?;
            let secrets = format!("/api/v1/namespaces/{namespace}/secrets");
            follow.watch(cluster, &secrets, Self::secret)?;
        }
        Ok(follow)
    }

    fn watch(&self, cluster: &Cluster, path: &str, note: fn(&Self, &Value)) -> Result<()> {
        let api = cluster.admin()?;
        let list = api.get(&format!("{path}?limit=1"))?;
        let version = list["metadata"]["resourceVersion"].as_str();
        let version = version.context("the list has no resourceVersion")?;
        let events = api.watch(&format!(
            "{path}?watch=true&resourceVersion={version}&timeoutSeconds=86400"
        ))?;
        let follow = self.clone();
        thread::spawn(move || {
            for event in events {
                match event {
                    Ok(event) if event["type"] == "ERROR" => {
                        return follow.give_up(&event["object"].to_string());
                    }
                    Ok(event) => note(&follow, &event),
                    Err(error) => return follow.give_up(&format!("{error:#}")),
                }
            }
            follow.give_up("the API server ended the watch");
        });
        Ok(())
    }

    /// Names of new objects of this round begin so; what others do from now on counts no more.
    pub(crate) fn begin(&self, round: &str) {
        let mut seen = self.lock();
        round.clone_into(&mut seen.round);
        seen.fell.clear();
        seen.lost.clear();
    }

    /// Objects that turned not ready in this round, and Secrets that were deleted.
    pub(crate) fn end(&self) -> (BTreeMap<String, String>, BTreeSet<String>) {
        let mut seen = self.lock();
        let nothing = "\0";
        nothing.clone_into(&mut seen.round);
        (
            std::mem::take(&mut seen.fell),
            std::mem::take(&mut seen.lost),
        )
    }

    /// When the object was first ready, or nothing by then.
    pub(crate) fn ready(&self, name: &str, until: Instant) -> Result<Option<Instant>> {
        let mut seen = self.lock();
        loop {
            if let Some(why) = &seen.broken {
                bail!("a watch of the healthy tenants broke: {why}");
            }
            if let Some(at) = seen.ready.get(name) {
                return Ok(Some(*at));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            let waited = self
                .shared
                .1
                .wait_timeout(seen, left.min(Duration::from_secs(1)));
            seen = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn object(&self, event: &Value) {
        let now = Instant::now();
        let object = &event["object"];
        let name = manifest::text(object, "/metadata/name");
        let conditions = object["status"]["conditions"].as_array();
        let mut conditions = conditions.into_iter().flatten();
        let Some(condition) = conditions.find(|condition| condition["type"] == "Ready") else {
            return;
        };
        let mut seen = self.lock();
        if condition["status"] == "True" {
            seen.ready.entry(name.to_owned()).or_insert(now);
        } else if event["type"] != "DELETED" && seen.counts(name) && seen.ready.contains_key(name) {
            let message = manifest::text(condition, "/message").to_owned();
            seen.fell.insert(name.to_owned(), message);
        }
        drop(seen);
        self.shared.1.notify_all();
    }

    fn secret(&self, event: &Value) {
        let name = manifest::text(&event["object"], "/metadata/name");
        let mut seen = self.lock();
        if event["type"] == "DELETED" && seen.counts(name) {
            seen.lost.insert(name.to_owned());
        }
    }

    fn give_up(&self, why: &str) {
        self.lock().broken = Some(why.to_owned());
        self.shared.1.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn counts(&self, name: &str) -> bool {
        name.starts_with("standing-") || name.starts_with(&self.round)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(name: &str, status: &str) -> Value {
        let condition = json!({"type": "Ready", "status": status, "message": "m"});
        json!({"type": "MODIFIED", "object": {
            "metadata": {"name": name}, "status": {"conditions": [condition]},
        }})
    }

    #[test]
    fn only_an_object_that_was_ready_can_turn_not_ready() {
        let follow = Follow::default();
        follow.begin("r1-");
        follow.object(&object("r1-new", "False"));
        follow.object(&object("standing-1", "True"));
        follow.object(&object("standing-1", "False"));

        let (fell, _) = follow.end();

        assert_eq!(fell.keys().collect::<Vec<_>>(), ["standing-1"]);
        assert!(
            follow
                .ready("standing-1", Instant::now())
                .unwrap()
                .is_some()
        );
        assert!(follow.ready("r1-new", Instant::now()).unwrap().is_none());
    }

    #[test]
    fn secrets_of_earlier_rounds_may_go() {
        let follow = Follow::default();
        let deleted =
            |name: &str| json!({"type": "DELETED", "object": {"metadata": {"name": name}}});
        follow.begin("r2-");
        follow.secret(&deleted("r1-new"));
        follow.secret(&deleted("r2-new"));

        let (_, lost) = follow.end();

        assert_eq!(lost.into_iter().collect::<Vec<_>>(), ["r2-new"]);
    }
}
