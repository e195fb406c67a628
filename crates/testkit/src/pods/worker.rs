//! The worker of one pod: binds it to the node, gets a token for its ServiceAccount, runs its process
//! and tells the API server what is new, until it is dropped.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Result, anyhow};
use serde_json::{Value, json};

use super::process::Process;
use super::{NODE, Settings};
use crate::api::{self, Api};
use crate::kubeconfig::Access;
use crate::manifest;
use crate::progress::say;

/// Pause before something that failed is tried again.
const PAUSE: Duration = Duration::from_millis(200);

/// What a worker needs to run its pod.
pub(super) struct Pod {
    pub(super) api: Arc<Api>,
    /// Of the runner itself; the pod gets a token of its own.
    pub(super) access: Access,
    pub(super) settings: Arc<Settings>,
    pub(super) manifest: Value,
    pub(super) path: String,
    pub(super) ip: IpAddr,
}

/// A running pod, ended on drop.
pub(super) struct Worker {
    /// Nothing is ever sent; its end is the sign.
    alive: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    pub(super) fn start(pod: Pod) -> Self {
        let (alive, ended) = channel();
        let thread = std::thread::spawn(move || pod.run(&ended));
        Self {
            alive: Some(alive),
            thread: Some(thread),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.alive = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Pod {
    fn run(&self, ended: &Receiver<()>) {
        let mut process = None;
        loop {
            let pause = self.turn(&mut process).unwrap_or_else(|error| {
                say(&format!("pod runner: {}: {error:#}", self.path));
                PAUSE
            });
            if ended.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    }

    /// Does what is due; says how long there is nothing to do.
    fn turn(&self, process: &mut Option<Process>) -> Result<Duration> {
        let process = match process {
            Some(process) => process,
            None => process.insert(self.prepared()?),
        };
        process.refresh(&self.api)?;
        if let Some(status) = process.news()? {
            let told = json!({"status": process.status(status)});
            self.api.merge(&format!("{}/status", self.path), &told)?;
            process.told(status);
        }
        Ok(process.idle())
    }

    fn prepared(&self) -> Result<Process> {
        // Two requests that need nothing of each other; a process starts when both are answered.
        let (bound, kubeconfig) = std::thread::scope(|scope| {
            let bound = scope.spawn(|| self.bind());
            let kubeconfig = self.kubeconfig();
            (bound.join(), kubeconfig)
        });
        bound.map_err(|_| anyhow!("the thread that binds the pod panicked"))??;
        let kubeconfig = kubeconfig?;
        Process::new(&self.settings, &self.manifest, kubeconfig, self.ip)
    }

    fn bind(&self) -> Result<()> {
        if !manifest::text(&self.manifest, "/spec/nodeName").is_empty() {
            return Ok(());
        }
        let binding = json!({
            "apiVersion": "v1", "kind": "Binding",
            "metadata": {"name": manifest::text(&self.manifest, "/metadata/name")},
            "target": {"apiVersion": "v1", "kind": "Node", "name": NODE},
        });
        let bound = self.api.post(&format!("{}/binding", self.path), &binding);
        match bound {
            // It was bound by an attempt that failed later.
            Err(error) if api::status(&error) != Some(409) => Err(error),
            _ => Ok(()),
        }
    }

    /// A kubeconfig with the rights of the pod's ServiceAccount.
    fn kubeconfig(&self) -> Result<PathBuf> {
        let text = |pointer| manifest::text(&self.manifest, pointer);
        let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
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
        let file = self.settings.dir.join(format!("{name}.kubeconfig"));
        access.write(&file, account, namespace)?;
        Ok(file)
    }
}
