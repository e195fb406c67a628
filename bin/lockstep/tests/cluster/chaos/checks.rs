//! What must be true when everything is well again, and the report of what is not.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use lockstep_testkit::poll;
use serde_json::Value;

use super::Run;
use super::ledger::data;
use super::manifests::secret_path;
use super::model::Object;
use super::steps::place;

/// How long everything may take to be right again after all faults are gone, beside the time the
/// faults lasted: a store that could not be reached is probed every 30 s at most, a call that hangs
/// is given up after 2 s by the store's word and after 30 s otherwise, a Secret of others that is
/// missing is looked for every 15 s, and a lease of 9 s may have to run out. Whoever failed for another
/// reason backs off by no more than the time it has failed already. It stays below the four minutes
/// after which objects of a store that nobody probes look by themselves.
const BOUND: Duration = Duration::from_secs(90);
const LONGEST: Duration = Duration::from_secs(200);

/// Something that is not right, and the object to report on.
struct Problem {
    what: String,
    name: String,
    object: Value,
}

impl Run<'_> {
    /// Waits until everything is right; `exact` also for those who look once in a while only.
    pub(crate) fn settle(&mut self, faults: Duration, exact: bool) -> Duration {
        let (began, limit) = (Instant::now(), (BOUND + faults).min(LONGEST));
        let settled = poll::until(limit, || {
            self.replicas.tend();
            let problems = self.problems(exact);
            if problems.is_empty() {
                return ControlFlow::Break(began.elapsed());
            }
            ControlFlow::Continue(problems)
        });
        match settled {
            Ok(time) => time,
            Err(problems) => self.fail(&format!("not right after {limit:?}"), &problems),
        }
    }

    fn problems(&self, exact: bool) -> Vec<Problem> {
        let mut problems = Vec::new();
        for namespace in 0..self.world.namespaces.len() {
            let name = &self.world.namespaces[namespace];
            let objects = self.list(&format!(
                "/apis/external-secrets.io/v1/namespaces/{name}/externalsecrets"
            ));
            let secrets = self.list(&format!("/api/v1/namespaces/{name}/secrets"));
            for object in &self.world.objects {
                if object.namespace != namespace {
                    continue;
                }
                let found = objects.get(&object.name).cloned().unwrap_or_default();
                let mut wrong = state(&found);
                let secret = secrets.get(&object.target);
                wrong.extend(self.wrong_target(object, &found, secret, exact));
                for what in wrong {
                    problems.push(Problem {
                        what: format!("{name}/{}: {what}", object.name),
                        name: object.name.clone(),
                        object: found.clone(),
                    });
                }
            }
            for former in &self.former {
                if let Some((_, secret)) = former.split_once('/').filter(|(own, _)| own == name)
                    && let Some(left) = secrets.get(secret)
                {
                    problems.push(Problem {
                        what: format!("former target {former} is left"),
                        name: secret.to_owned(),
                        object: left.clone(),
                    });
                }
            }
        }
        self.add_problems_of_stores(&mut problems);
        self.add_problems_of_pushes(&mut problems, exact);
        problems
    }

    /// What is wrong with an object's Secret. Who looks once in a while only need not know the last
    /// values, and not even that there are values again.
    fn wrong_target(
        &self,
        object: &Object,
        found: &Value,
        secret: Option<&Value>,
        exact: bool,
    ) -> Option<String> {
        let exact = exact || object.is_quick();
        let mut stores = object.stores();
        let waits = stores.any(|store| self.world.stores[store].was_absent);
        if !exact && (waits || object.creation == "Orphan") {
            return None;
        }
        let Some(secret) = secret else {
            return Some(format!("no Secret {}", object.target));
        };
        let mut data = data(secret);
        let own = data.remove("own");
        if object.creation == "Merge" && own.is_none() {
            return Some("the key of others is gone".to_owned());
        }
        let wanted = self.world.wanted(object);
        let right = if exact {
            data == wanted
        } else {
            let marks = self.world.marks(object);
            data.keys().eq(marks.keys()) && marks.iter().all(|(key, mark)| data[key].contains(mark))
        };
        if !right {
            return Some(format!("holds {data:?} in place of {wanted:?}"));
        }
        let meta = &secret["metadata"];
        let owner = &meta["ownerReferences"][0]["uid"];
        if exact && object.creation == "Owner" && *owner != found["metadata"]["uid"] {
            return Some(format!("is owned by {owner}"));
        }
        let label = &meta["labels"]["reconcile.external-secrets.io/managed"];
        (exact && label != "true").then(|| format!("is labelled {}", meta["labels"]))
    }

    fn add_problems_of_stores(&self, problems: &mut Vec<Problem>) {
        for store in &self.world.stores {
            let found = self.api.find(&store.path()).unwrap().unwrap_or_default();
            if found["status"]["conditions"][0]["status"] != "True" {
                problems.push(Problem {
                    what: format!("store {} is not ready", store.name),
                    name: store.name.clone(),
                    object: found,
                });
            }
        }
    }

    /// A source that changed while nobody watched is pushed at the next refresh.
    fn add_problems_of_pushes(&self, problems: &mut Vec<Problem>, exact: bool) {
        for push in &self.world.pushes {
            let path = self.world.push_path(push);
            let found = self.api.find(&path).unwrap().unwrap_or_default();
            let remote = secret_path(&self.world.vault, &push.name);
            let remote = self.api.find(&remote).unwrap().unwrap_or_default();
            let remote = data(&remote);
            let mut wrong = Vec::new();
            if found["status"]["conditions"][0]["status"] != "True" {
                wrong.push("not ready".to_owned());
            }
            if (exact || !self.was_down) && remote.get("x") != Some(&push.value) {
                wrong.push(format!("pushed {remote:?} in place of {}", push.value));
            }
            for what in wrong {
                problems.push(Problem {
                    what: format!("PushSecret {}: {what}", push.name),
                    name: push.name.clone(),
                    object: found.clone(),
                });
            }
        }
    }

    fn list(&self, path: &str) -> BTreeMap<String, Value> {
        let mut list = self.api.get(path).unwrap();
        let items = list["items"].as_array_mut().map(std::mem::take);
        let named = items.into_iter().flatten().map(|item| {
            let name = item["metadata"]["name"].as_str().unwrap_or_default();
            (name.to_owned(), item)
        });
        named.collect()
    }

    /// Everything that was seen of Secrets was allowed, and no process complained about itself.
    pub(crate) fn judge(&mut self) {
        let mut wrong = Vec::new();
        for sight in self.watcher.take() {
            if let Some(what) = self.ledger.judge(&sight) {
                let name = sight.place.split('/').next_back().unwrap_or_default();
                let name = self
                    .world
                    .objects
                    .iter()
                    .find(|object| object.target == name);
                let object = name.map(|object| {
                    let path = self.world.object_path(object);
                    (object.name.clone(), self.api.find(&path).unwrap())
                });
                let (name, object) = object.unwrap_or_default();
                wrong.push(Problem {
                    what: format!("{what} (version {}, uid {})", sight.version, sight.uid),
                    name,
                    object: object.unwrap_or_default(),
                });
            }
        }
        let lines = self.replicas.logged();
        let bad = lines.iter().filter(|line| {
            let error = line.contains("\"level\":\"error\"") || line.contains("panicked");
            // Who loses the lease says so.
            error && !(self.replicas.count() > 1 && line.contains("\"stopping\""))
        });
        for line in bad {
            wrong.push(Problem {
                what: format!("logged {line}"),
                name: String::new(),
                object: Value::Null,
            });
        }
        if !wrong.is_empty() {
            self.fail("something happened that must not", &wrong);
        }
        self.was_down = false;
        for store in &mut self.world.stores {
            store.was_absent = false;
        }
        for rule in self.ledger.rules.values_mut() {
            rule.absent = false;
        }
        for number in 0..self.world.objects.len() {
            self.world.objects[number].unmarked = false;
            let place = place(&self.world.namespaces, &self.world.objects[number]);
            self.ledger.rules.remove(&place);
            self.learn(number);
        }
    }

    /// Waits for the end of an object that was deleted.
    pub(crate) fn wait_for_end(&mut self, path: &str) {
        let gone = poll::until(LONGEST, || {
            self.replicas.tend();
            match self.api.find(path).unwrap() {
                None => ControlFlow::Break(()),
                Some(left) => ControlFlow::Continue(left),
            }
        });
        if let Err(object) = gone {
            let name = path.split('/').next_back().unwrap_or_default();
            let problem = Problem {
                what: format!("{path} does not end"),
                name: name.to_owned(),
                object,
            };
            self.fail("a deleted object stays", &[problem]);
        }
    }

    /// Ends the test with all that helps to understand it.
    #[expect(clippy::panic, reason = "the end of a failed test")]
    fn fail(&self, what: &str, problems: &[Problem]) -> ! {
        let logs = self.replicas.logged();
        let mut text = format!("seed {}: {what}\nsteps:\n", self.seed);
        for step in &self.script {
            let _ = writeln!(text, "  {step}");
        }
        for problem in problems.iter().take(40) {
            let _ = writeln!(text, "- {}", problem.what);
        }
        for problem in problems.iter().take(3) {
            let Problem { what, name, object } = problem;
            let _ = writeln!(text, "\n{what}\nstatus: {}", object["status"]);
            let _ = writeln!(text, "spec: {}", object["spec"]);
            let mut metadata = object["metadata"].clone();
            metadata["managedFields"] = Value::Null;
            let _ = writeln!(text, "metadata: {metadata}");
            if name.is_empty() {
                continue;
            }
            let (own, quoted) = (format!("/{name}\""), format!("\"{name}\""));
            let about: Vec<&String> = logs
                .iter()
                .filter(|line| line.contains(&own) || line.contains(&quoted))
                .collect();
            for line in &about[about.len().saturating_sub(60)..] {
                let _ = writeln!(text, "  {line}");
            }
        }
        panic!("{text}");
    }
}

/// What an ExternalSecret says of itself that it should not.
fn state(object: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let conditions = object["status"]["conditions"].as_array();
    let ready = conditions
        .into_iter()
        .flatten()
        .find(|condition| condition["type"] == "Ready");
    match ready {
        Some(ready) if ready["status"] == "True" => {}
        other => wrong.push(format!("not ready: {}", other.unwrap_or(&Value::Null))),
    }
    let generation = &object["metadata"]["generation"];
    if &object["status"]["observedGeneration"] != generation {
        let observed = &object["status"]["observedGeneration"];
        wrong.push(format!("generation {generation}, observed {observed}"));
    }
    wrong
}
