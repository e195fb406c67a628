//! An operator of the binary under test, and waiting for what it does.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::operator::Operator;
use lockstep_testkit::{PATIENCE, poll};
use serde_json::{Value, json};

/// Starts the operator under its own ServiceAccount.
pub(crate) fn operator(cluster: &Cluster, flags: &[&str]) -> Operator {
    started(&cluster.operator_kubeconfig(), flags)
}

/// Starts the operator with any kubeconfig.
pub(crate) fn started(kubeconfig: &Path, flags: &[&str]) -> Operator {
    let program = Path::new(env!("CARGO_BIN_EXE_lockstep"));
    Operator::start(program, kubeconfig, flags, &log()).unwrap()
}

/// Asks until the answer is wished for; fails with the last answer.
pub(crate) fn until<T: std::fmt::Debug>(what: &str, mut ask: impl FnMut() -> Result<T, T>) -> T {
    let asked = poll::until(PATIENCE, || match ask() {
        Ok(answer) => ControlFlow::Break(answer),
        Err(last) => ControlFlow::Continue(last),
    });
    let asked = asked.map_err(|last| format!("{what} did not happen: {last:?}"));
    asked.unwrap()
}

/// A namespace of its own for a test; a class of its own keeps the operators of tests apart.
pub(crate) struct Room {
    pub(crate) api: Api,
    pub(crate) namespace: String,
}

impl Room {
    pub(crate) fn new(cluster: &Cluster) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let namespace = format!("operator-{}-{number}", std::process::id());
        let api = cluster.admin().unwrap();
        let object =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
        api.apply(&object).unwrap();
        Self { api, namespace }
    }

    /// Flags of an operator that looks at this room only.
    pub(crate) fn flag(&self) -> String {
        format!("--namespace={}", self.namespace)
    }

    /// A fake store with one value, and an ExternalSecret that reads it.
    pub(crate) fn fill(&self) {
        self.apply(&json!({
            "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
            "metadata": {"name": "store"},
            "spec": {"provider": {"fake": {"data": [{"key": "k", "value": "v"}]}}},
        }));
        self.apply(&json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
            "metadata": {"name": "es"},
            "spec": {
                "secretStoreRef": {"name": "store"},
                "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
            },
        }));
    }

    pub(crate) fn apply(&self, object: &Value) {
        self.api.apply_in(&self.namespace, object).unwrap();
    }

    pub(crate) fn secret(&self, name: &str) -> Option<Value> {
        self.api
            .find(&format!(
                "/api/v1/namespaces/{}/secrets/{name}",
                self.namespace
            ))
            .unwrap()
    }

    pub(crate) fn external_secret(&self, name: &str) -> Value {
        let group = "/apis/external-secrets.io/v1";
        let path = format!(
            "{group}/namespaces/{}/externalsecrets/{name}",
            self.namespace
        );
        self.api.get(&path).unwrap()
    }

    /// Waits until the ExternalSecret `es` is ready.
    pub(crate) fn synced(&self) {
        until("sync of es", || {
            let object = self.external_secret("es");
            if object["status"]["conditions"][0]["status"] == "True" {
                Ok(object)
            } else {
                Err(object)
            }
        });
    }
}

pub(crate) fn log() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("lockstep-operator-{}-{number}.log", std::process::id());
    std::env::temp_dir().join(name)
}

/// A store with these values, and `count` ExternalSecrets that read all of them every `interval`.
pub(crate) fn fleet(room: &Room, values: &[(&str, &str)], count: usize, interval: &str) {
    put_store(room, values);
    let data: Vec<Value> = values
        .iter()
        .map(|(key, _)| json!({"secretKey": key, "remoteRef": {"key": key}}))
        .collect();
    for number in 0..count {
        room.apply(&json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
            "metadata": {"name": format!("es-{number}")},
            "spec": {
                "refreshInterval": interval, "secretStoreRef": {"name": "store"}, "data": data,
                "target": {"deletionPolicy": "Delete"},
            },
        }));
    }
}

/// A fake store with these values.
pub(crate) fn put_store(room: &Room, values: &[(&str, &str)]) {
    let data: Vec<Value> = values
        .iter()
        .map(|(key, value)| json!({"key": key, "value": value}))
        .collect();
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": {"name": "store"},
        "spec": {"provider": {"fake": {"data": data}}},
    }));
}

impl Room {
    /// All objects of a plural of the room's namespace.
    pub(crate) fn list(&self, group: &str, plural: &str) -> Vec<Value> {
        let path = format!("{group}/namespaces/{}/{plural}", self.namespace);
        let list = self.api.get(&path).unwrap();
        list["items"].as_array().cloned().unwrap_or_default()
    }

    /// The Secrets of the fleet.
    pub(crate) fn secrets(&self) -> Vec<Value> {
        let mut secrets = self.list("/api/v1", "secrets");
        secrets.retain(|secret| {
            secret["metadata"]["name"]
                .as_str()
                .unwrap()
                .starts_with("es-")
        });
        secrets
    }

    /// The ExternalSecrets whose Ready condition has this status.
    pub(crate) fn with_ready(&self, status: &str) -> Vec<Value> {
        let mut objects = self.list("/apis/external-secrets.io/v1", "externalsecrets");
        objects.retain(|object| object["status"]["conditions"][0]["status"] == status);
        objects
    }

    /// Waits until so many ExternalSecrets are ready.
    pub(crate) fn all_ready(&self, count: usize) {
        until("readiness of all", || {
            let ready = self.with_ready("True").len();
            if ready == count {
                Ok(ready)
            } else {
                Err(ready)
            }
        });
    }
}

/// The sum of all samples of a family whose labels contain `label`; fractions are left out.
pub(crate) fn metric(operator: &Operator, family: &str, label: &str) -> u64 {
    let text = operator.metrics().unwrap_or_default();
    let lines = text
        .lines()
        .filter(|line| line.starts_with(family) && line.contains(label));
    let values = lines.filter_map(|line| line.rsplit(' ').next()?.split('.').next());
    values.filter_map(|value| value.parse::<u64>().ok()).sum()
}
