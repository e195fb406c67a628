//! What an entry does to the cluster: its manifests at first, its steps later, and taking all of it away
//! at the end. Uses a client with all rights; which of it a tenant may do is said in the entry.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use lockstep_testkit::api::{Api, status};
use lockstep_testkit::manifest;
use serde_json::{Value, json};

use crate::backend::Backend;
use crate::entry::{Entry, Route, Step, Verb};
use crate::expand::{Words, expand, text_of};

/// Requests under way at a time while many objects are created.
const WORKERS: usize = 6;
const POLL: Duration = Duration::from_millis(100);
/// How long deleted objects may take before their finalizers are taken off.
const LEAVE: Duration = Duration::from_secs(3);
/// Kinds whose finalizers keep a namespace from going, by their lists.
const HELD: [&str; 2] = ["externalsecrets", "pushsecrets"];
const GROUP: &str = "/apis/external-secrets.io";

/// One entry at work.
pub(crate) struct Work<'a> {
    pub(crate) api: &'a Api,
    pub(crate) backend: &'a Backend,
    pub(crate) entry: &'a Entry,
    pub(crate) words: Words,
}

impl Work<'_> {
    /// The entry's own namespace.
    pub(crate) fn namespace(&self) -> &str {
        &self.words["NS"]
    }

    /// Has the backend answer as the header says.
    pub(crate) fn answer(&self) -> Result<()> {
        let routes = self.entry.header.backend.iter();
        routes.cloned().try_for_each(|route| self.route(route))
    }

    fn route(&self, mut route: Route) -> Result<()> {
        if !route.path.starts_with("/shared/") {
            route.path = format!("/{}{}", self.entry.name, route.path);
        }
        for (_, value) in &mut route.headers {
            *value = text_of(value, &self.words)?;
        }
        self.backend.answer(route);
        Ok(())
    }

    /// Creates the namespace and everything in the manifests.
    pub(crate) fn apply(&self) -> Result<()> {
        let namespace = json!({"metadata": {"name": self.namespace()}});
        self.api.post("/api/v1/namespaces", &namespace)?;
        let all = Value::Array(self.entry.manifests.clone());
        let all = expand(&all, &self.words)?;
        let objects = all.as_array().map(Vec::as_slice).unwrap_or_default();
        // Objects of one kind in a row are created side by side, others in order.
        for batch in objects.chunk_by(|one, other| one["kind"] == other["kind"]) {
            self.create_all(batch)?;
        }
        Ok(())
    }

    fn create_all(&self, objects: &[Value]) -> Result<()> {
        let workers = objects.len().min(WORKERS);
        scope(|threads| {
            let running: Vec<_> = (0..workers)
                .map(|worker| {
                    let mut mine = objects.iter().skip(worker).step_by(workers);
                    threads.spawn(move || mine.try_for_each(|object| self.create(object)))
                })
                .collect();
            for thread in running {
                let done: Result<()> = thread.join().map_err(|_| anyhow!("a worker panicked"))?;
                done?;
            }
            Ok(())
        })
    }

    fn create(&self, object: &Value) -> Result<()> {
        let object = self.placed(object);
        let path = self.api.path_of(&object)?;
        let list = path
            .rsplit_once('/')
            .map_or(path.as_str(), |(list, _)| list);
        match self.api.post(list, &object) {
            Err(error) if self.entry.header.refusable && refused(&error) => Ok(()),
            Err(error) => Err(error.context(manifest::label(&object))),
            Ok(_) => Ok(()),
        }
    }

    fn placed(&self, object: &Value) -> Value {
        let mut object = object.clone();
        let cluster_wide = manifest::text(&object, "/kind").starts_with("Cluster")
            || manifest::text(&object, "/kind") == "Namespace";
        if !cluster_wide && manifest::text(&object, "/metadata/namespace").is_empty() {
            object["metadata"]["namespace"] = self.namespace().into();
        }
        object
    }

    /// Does one step, once or until told to end.
    pub(crate) fn step(&self, step: &Step, ended: &AtomicBool) -> Result<()> {
        let due = Instant::now() + Duration::from_secs_f64(step.after);
        while Instant::now() < due && !ended.load(Ordering::Relaxed) {
            sleep(POLL.min(due.saturating_duration_since(Instant::now())));
        }
        let mut words = self.words.clone();
        for tick in 0_u64.. {
            if ended.load(Ordering::Relaxed) {
                break;
            }
            words.insert("TICK".to_owned(), tick.to_string());
            let done = self.act(step.verb, &expand(&step.object, &words)?);
            let Some(every) = step.every else {
                return done;
            };
            // Of a storm, single refusals (conflicts, absent objects) do not matter.
            if tick == 0 {
                done?;
            }
            sleep(Duration::from_secs_f64(every));
        }
        Ok(())
    }

    fn act(&self, verb: Verb, object: &Value) -> Result<()> {
        if verb == Verb::Answer {
            return self.route(serde_json::from_value(object.clone())?);
        }
        let object = self.placed(object);
        let path = self.api.path_of(&object)?;
        match verb {
            Verb::Create => self.create(&object),
            Verb::Merge => self.api.merge(&path, &object).map(drop),
            Verb::Delete => self.api.delete(&path),
            Verb::Answer => Ok(()),
        }
    }

    /// Takes everything away; what the operator does not release in time is released here.
    pub(crate) fn clean_up(&self) -> Result<()> {
        let namespaces = self.namespaces()?;
        let lists = namespaces
            .iter()
            .flat_map(|namespace| HELD.map(|held| list_of(namespace, held)));
        let lists: Vec<String> = lists.collect();
        let wide = self.cluster_wide()?;
        for path in lists.iter().chain(&wide) {
            self.api.delete(path)?;
        }
        let until = Instant::now() + LEAVE;
        loop {
            let mut left = Vec::new();
            for list in &lists {
                left.extend(
                    self.names(list)?
                        .iter()
                        .map(|name| format!("{list}/{name}")),
                );
            }
            for path in &wide {
                left.extend(self.api.find(path)?.map(|_| path.clone()));
            }
            if left.is_empty() {
                break;
            }
            if Instant::now() > until {
                let free = json!({"metadata": {"finalizers": null}});
                // One of them may go in this moment.
                for path in left {
                    drop(self.api.merge(&path, &free));
                }
                break;
            }
            sleep(POLL);
        }
        for namespace in namespaces {
            self.api
                .delete(&format!("/api/v1/namespaces/{namespace}"))?;
        }
        Ok(())
    }

    /// Paths of the cluster-scoped objects of the manifests, namespaces aside.
    fn cluster_wide(&self) -> Result<Vec<String>> {
        let mut paths = Vec::new();
        for object in &self.entry.manifests {
            let object = expand(object, &self.words)?;
            if manifest::text(&object, "/kind").starts_with("Cluster") {
                paths.push(self.api.path_of(&object)?);
            }
        }
        Ok(paths)
    }

    fn namespaces(&self) -> Result<Vec<String>> {
        let list = self.api.get("/api/v1/namespaces")?;
        let names = list["items"].as_array().into_iter().flatten();
        let names = names.map(|item| manifest::text(item, "/metadata/name").to_owned());
        let own = self.namespace();
        let ours = |name: &String| {
            name == own
                || name
                    .strip_prefix(own)
                    .is_some_and(|rest| rest.starts_with("--"))
        };
        Ok(names.filter(ours).collect())
    }

    fn names(&self, list: &str) -> Result<Vec<String>> {
        let found = self.api.get(list)?;
        let items = found["items"].as_array().into_iter().flatten();
        let names = items.map(|item| manifest::text(item, "/metadata/name").to_owned());
        Ok(names.collect())
    }
}

fn list_of(namespace: &str, held: &str) -> String {
    let version = if held == "pushsecrets" {
        "v1alpha1"
    } else {
        "v1"
    };
    format!("{GROUP}/{version}/namespaces/{namespace}/{held}")
}

/// The API server looked at the object and did not take it.
fn refused(error: &anyhow::Error) -> bool {
    matches!(status(error), Some(400 | 403 | 413 | 422))
}
