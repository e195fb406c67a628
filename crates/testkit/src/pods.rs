//! A scheduler and kubelet in small: starts the first container of every pod as a process under the
//! pod's own ServiceAccount, honours its readiness probe, restarts it with a crash back-off, and
//! tells the API server how it is. So start-up races are seen as they are. Pods are seen by a watch
//! and each has a worker of its own, as in a kubelet. Of volumes only Secrets are mounted; pods of
//! other images are left alone.

mod probe;
mod process;
mod volumes;
mod watch;
mod worker;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::api::Api;
use crate::controlplane::Cluster;
use crate::kubeconfig::Access;
use crate::manifest;
use crate::progress::say;
use watch::News;
use worker::{Pod, Worker};

const NODE: &str = "node";

/// What the runner needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program that stands for the image.
    pub program: PathBuf,
    /// Only pods whose image begins so are run.
    pub image: String,
    /// Addresses of pods: the first three bytes of a network that is this machine's as a whole.
    pub network: [u8; 3],
    /// Where kubeconfigs and logs go.
    pub dir: PathBuf,
    /// Variables that every process gets beside those of its pod.
    pub environment: Vec<(String, String)>,
}

/// The running pods, ended on drop.
pub struct PodRunner {
    news: Sender<News>,
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
            api: Arc::new(api),
            settings: Arc::new(settings),
            pods: BTreeMap::new(),
            next: 10,
        };
        let (news, arriving) = channel();
        let (api, to) = (Arc::clone(&kubelet.api), news.clone());
        // Ends by itself once nobody listens any more.
        std::thread::spawn(move || watch::follow(&api, &to));
        let thread = std::thread::spawn(move || kubelet.serve(&arriving));
        Ok(Self {
            news,
            thread: Some(thread),
        })
    }
}

impl Drop for PodRunner {
    fn drop(&mut self) {
        drop(self.news.send(News::End));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Path and uid of a pod: one of the same name that comes later is another.
type Key = (String, String);

struct Kubelet {
    api: Arc<Api>,
    access: Access,
    settings: Arc<Settings>,
    /// Dropping a worker ends its process.
    pods: BTreeMap<Key, Worker>,
    next: u8,
}

impl Kubelet {
    fn serve(&mut self, arriving: &Receiver<News>) {
        for news in arriving {
            let handled = match news {
                News::End => return,
                News::All(pods) => {
                    let seen: Vec<_> = pods.iter().map(key).collect();
                    self.pods.retain(|key, _| seen.contains(key));
                    pods.iter().try_for_each(|pod| self.seen(pod))
                }
                News::Seen(pod) => self.seen(&pod),
                News::Gone(pod) => {
                    self.pods.remove(&key(&pod));
                    Ok(())
                }
                News::Failed(error) => Err(error),
            };
            if let Err(error) = handled {
                say(&format!("pod runner: {error:#}"));
            }
        }
    }

    fn seen(&mut self, pod: &Value) -> Result<()> {
        let image = manifest::text(pod, "/spec/containers/0/image");
        if !image.starts_with(&self.settings.image) {
            return Ok(());
        }
        let key = key(pod);
        if !pod["metadata"]["deletionTimestamp"].is_null() {
            self.pods.remove(&key);
            let path = format!("{}?gracePeriodSeconds=0", key.0);
            return self.api.delete(&path);
        }
        if !self.pods.contains_key(&key) {
            let worker = Worker::start(Pod {
                api: Arc::clone(&self.api),
                access: self.access.clone(),
                settings: Arc::clone(&self.settings),
                manifest: pod.clone(),
                path: key.0.clone(),
                ip: self.address()?,
            });
            self.pods.insert(key, worker);
        }
        Ok(())
    }

    fn address(&mut self) -> Result<IpAddr> {
        let [a, b, c] = self.settings.network;
        let ip = IpAddr::from([a, b, c, self.next]);
        let next = self.next.checked_add(1);
        self.next = next.context("no address left for a pod")?;
        Ok(ip)
    }
}

fn key(pod: &Value) -> Key {
    let text = |pointer| manifest::text(pod, pointer);
    let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
    let path = format!("/api/v1/namespaces/{namespace}/pods/{name}");
    (path, text("/metadata/uid").to_owned())
}
