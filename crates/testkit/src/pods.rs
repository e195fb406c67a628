//! A scheduler and kubelet in small: starts the first container of every pod as a process under the
//! pod's own ServiceAccount, honours its readiness probe, restarts it with a crash back-off, and
//! tells the API server how it is. So start-up races are seen as they are. Of volumes only Secrets
//! are mounted; pods of other images are left alone.

mod process;
mod volumes;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::api::Api;
use crate::controlplane::Cluster;
use crate::kubeconfig::Access;
use crate::manifest;
use crate::progress::say;
use process::Process;

const PAUSE: Duration = Duration::from_millis(200);
const NODE: &str = "node";

/// What the runner needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program that stands for the image.
    pub program: PathBuf,
    /// Only pods whose image begins so are run.
    pub image: String,
    /// Addresses of pods: the first three bytes of a network that this machine has an address in.
    pub network: [u8; 3],
    /// Where kubeconfigs and logs go.
    pub dir: PathBuf,
}

/// The running pods, ended on drop.
pub struct PodRunner {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl PodRunner {
    /// Starts to run pods.
    pub fn start(cluster: &Cluster, settings: Settings) -> Result<Self> {
        let api = cluster.admin()?;
        let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}});
        api.apply(&node)?;
        let mut kubelet = Kubelet {
            access: Access::read(&cluster.admin_kubeconfig())?,
            api,
            settings,
            pods: BTreeMap::new(),
            next: 10,
        };
        let stop = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                if let Err(error) = kubelet.look() {
                    say(&format!("pod runner: {error:#}"));
                }
                std::thread::sleep(PAUSE);
            }
        });
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for PodRunner {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

struct Kubelet {
    api: Api,
    access: Access,
    settings: Settings,
    /// By path of the pod and its uid.
    pods: BTreeMap<(String, String), Process>,
    next: u8,
}

impl Kubelet {
    fn look(&mut self) -> Result<()> {
        let found = self.api.get("/api/v1/pods")?;
        let mut seen = Vec::new();
        for pod in found["items"].as_array().into_iter().flatten() {
            let text = |pointer| manifest::text(pod, pointer).to_owned();
            let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
            let path = format!("/api/v1/namespaces/{namespace}/pods/{name}");
            let key = (path, text("/metadata/uid"));
            if !text("/spec/containers/0/image").starts_with(&self.settings.image) {
                continue;
            }
            seen.push(key.clone());
            if !pod["metadata"]["deletionTimestamp"].is_null() {
                self.pods.remove(&key);
                self.api
                    .delete(&format!("{}?gracePeriodSeconds=0", key.0))?;
            } else if let Some(process) = self.pods.get_mut(&key) {
                process.refresh(&self.api)?;
                if let Some(status) = process.news()? {
                    report(&self.api, &key.0, &status)?;
                }
            } else {
                self.run(pod, key).context(name)?;
            }
        }
        // Dropping a process ends it.
        self.pods.retain(|key, _| seen.contains(key));
        Ok(())
    }

    fn run(&mut self, pod: &Value, key: (String, String)) -> Result<()> {
        let text = |pointer| manifest::text(pod, pointer);
        let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
        if text("/spec/nodeName").is_empty() {
            let binding = json!({
                "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
                "target": {"apiVersion": "v1", "kind": "Node", "name": NODE},
            });
            self.api.post(&format!("{}/binding", key.0), &binding)?;
        }
        let account = text("/spec/serviceAccountName");
        let asked = json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {},
        });
        let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token");
        let token = self.api.post(&path, &asked)?;
        let access = Access {
            token: manifest::text(&token, "/status/token").to_owned(),
            ..self.access.clone()
        };
        let kubeconfig = self.settings.dir.join(format!("{name}.kubeconfig"));
        access.write(&kubeconfig, account, namespace)?;
        let [a, b, c] = self.settings.network;
        let ip = IpAddr::from([a, b, c, self.next]);
        self.next = self
            .next
            .checked_add(1)
            .context("no address left for a pod")?;
        let mut process = Process::new(&self.settings, pod, kubeconfig, ip)?;
        process.refresh(&self.api)?;
        if let Some(status) = process.news()? {
            report(&self.api, &key.0, &status)?;
        }
        self.pods.insert(key, process);
        Ok(())
    }
}

fn report(api: &Api, pod: &str, status: &Value) -> Result<()> {
    api.merge(&format!("{pod}/status"), &json!({"status": status}))?;
    Ok(())
}
