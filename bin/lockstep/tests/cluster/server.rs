//! A secret server whose behaviour a test changes while it runs, and ExternalSecrets that read from
//! it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lockstep_testkit::operator::Operator;
use lockstep_testkit::stub::{Answer, Request, Stub};
use serde_json::{Value, json};

use crate::process::{Room, until};

type Behaviour = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

/// The server. Its requests are noted when they come in.
pub(crate) struct Server {
    stub: Stub,
    behaviour: Arc<Mutex<Behaviour>>,
    seen: Arc<Mutex<Vec<Instant>>>,
}

impl Server {
    /// A server that answers every path with `value`.
    pub(crate) fn start(value: &str) -> Self {
        let behaviour: Arc<Mutex<Behaviour>> = Arc::new(Mutex::new(saying(value)));
        let seen = Arc::<Mutex<Vec<Instant>>>::default();
        let (current, note) = (Arc::clone(&behaviour), Arc::clone(&seen));
        let stub = Stub::start(move |request| {
            note.lock().unwrap().push(Instant::now());
            let behaviour = Arc::clone(&current.lock().unwrap());
            behaviour(&request)
        });
        Self {
            stub: stub.unwrap(),
            behaviour,
            seen,
        }
    }

    /// Answers every path with `value` from now on.
    pub(crate) fn says(&self, value: &str) {
        *self.behaviour.lock().unwrap() = saying(value);
    }

    /// Behaves like this from now on.
    pub(crate) fn does(&self, behaviour: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        *self.behaviour.lock().unwrap() = Arc::new(behaviour);
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        self.stub.url().clone()
    }

    /// When requests came in, in their order.
    pub(crate) fn requests(&self) -> Vec<Instant> {
        self.seen.lock().unwrap().clone()
    }
}

fn saying(value: &str) -> Behaviour {
    let value = value.to_owned();
    Arc::new(move |_| Answer::text(200, value.clone()))
}

/// Never answers.
pub(crate) fn hang(_: &Request) -> Answer {
    loop {
        std::thread::park();
    }
}

impl Room {
    /// A store over the server; a call may take `timeout`.
    pub(crate) fn store_over(&self, server: &Server, timeout: &str) {
        let url = format!("{}/{{{{ .remoteRef.key }}}}", server.stub.url());
        self.apply(&json!({
            "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
            "metadata": {"name": "remote"},
            "spec": {"provider": {"webhook": {"url": url, "timeout": timeout}}},
        }));
    }

    /// ExternalSecrets `es-0` and on, each with a remote key of its own, read every `interval`.
    pub(crate) fn readers(&self, count: usize, interval: &str) {
        for number in 0..count {
            let reference = json!({"key": format!("key-{number}")});
            self.apply(&json!({
                "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
                "metadata": {"name": format!("es-{number}")},
                "spec": {
                    "refreshInterval": interval, "secretStoreRef": {"name": "remote"},
                    "data": [{"secretKey": "a", "remoteRef": reference}],
                    "target": {"deletionPolicy": "Delete"},
                },
            }));
        }
    }

    /// Versions of the Secrets by name: they tell who was written.
    pub(crate) fn versions(&self) -> BTreeMap<String, String> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let secrets = self.secrets();
        let versions = secrets.iter().map(|secret| &secret["metadata"]);
        versions
            .map(|meta| (text(&meta["name"]), text(&meta["resourceVersion"])))
            .collect()
    }

    /// Asks for a run now, as users do.
    pub(crate) fn force(&self, name: &str, stamp: &str) {
        let group = "/apis/external-secrets.io/v1";
        let path = format!(
            "{group}/namespaces/{}/externalsecrets/{name}",
            self.namespace
        );
        let stamped = json!({"metadata": {"annotations": {"force-sync": stamp}}});
        self.api.merge(&path, &stamped).unwrap();
    }

    /// Waits until an ExternalSecret is not ready for a reason that contains `word`.
    pub(crate) fn failed(&self, name: &str, word: &str) -> String {
        until(word, || {
            let condition = self.external_secret(name)["status"]["conditions"][0].clone();
            let message = condition["message"].as_str().unwrap_or_default().to_owned();
            if condition["status"] == "False" && message.contains(word) {
                Ok(message)
            } else {
                Err(message)
            }
        })
    }

    /// Waits until so many Secrets have this value, in base64.
    pub(crate) fn all_say(&self, count: usize, value: &str) {
        until("the value in every Secret", || {
            let secrets = self.secrets();
            let with = secrets.iter().filter(|one| one["data"]["a"] == value);
            let with = with.count();
            if with == count { Ok(with) } else { Err(with) }
        });
    }

    /// Warnings about ExternalSecrets, repetitions included.
    pub(crate) fn warnings(&self) -> u64 {
        let events = self.list("/api/v1", "events");
        let warnings = events.iter().filter(|event| {
            event["type"] == "Warning" && event["involvedObject"]["kind"] == "ExternalSecret"
        });
        warnings
            .map(|event| event["count"].as_u64().unwrap_or(1))
            .sum()
    }
}

/// The most memory a process had so far, in MiB, without the pages of its program: a build for development has
/// several times as many, and how many are resident depends on what the machine has read of the file before.
pub(crate) fn peak_memory(operator: &Operator) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", operator.id())).unwrap();
    let kibibytes = |field: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        number.unwrap()
    };
    (kibibytes("VmHWM:") - kibibytes("RssFile:")) / 1024
}

/// Waits until the server has been asked so often since `before`.
pub(crate) fn asked_again(server: &Server, before: usize, times: usize) {
    until("requests", || {
        let count = server.requests().len() - before;
        if count >= times {
            Ok(count)
        } else {
            Err(count)
        }
    });
}

/// Time without any request that began after `from`, within `limit` of it.
pub(crate) fn is_quiet(server: &Server, from: Instant, limit: Duration) -> bool {
    let requests = server.requests();
    let mut later = requests.iter().filter(|at| **at > from);
    !later.any(|at| at.duration_since(from) < limit)
}
