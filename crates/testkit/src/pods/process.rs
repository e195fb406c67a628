//! One pod: the process of its container, its restarts. Every pod has an address of
//! its own; flags that name a port on all addresses are narrowed to it.

use std::fs::File;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Settings;
use super::probe::Probe;
use super::volumes::Mount;
use crate::api::Api;
use crate::manifest;

/// First pause before a restart; it doubles up to five minutes, as a kubelet's does.
const BACK_OFF: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_mins(5);
/// Longest time until an ended process is seen.
const LOOK: Duration = Duration::from_millis(100);

pub(super) struct Process {
    program: PathBuf,
    args: Vec<String>,
    env: Vec<(String, String)>,
    log: PathBuf,
    ip: IpAddr,
    container: String,
    probe: Option<Probe>,
    mounts: Vec<Mount>,
    /// Whether every mounted Secret was there once; nothing starts before.
    mounted: bool,
    child: Option<Child>,
    started: Instant,
    restarts: u32,
    told: Option<Status>,
}

/// The part of a pod's status that changes; the rest of its status follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Status {
    ready: bool,
    restarts: u32,
}

impl Process {
    pub(super) fn new(
        settings: &Settings,
        pod: &Value,
        kubeconfig: PathBuf,
        ip: IpAddr,
    ) -> Result<Self> {
        let name = manifest::text(pod, "/metadata/name").to_owned();
        let container = &pod["spec"]["containers"][0];
        let args = container["args"].as_array().into_iter().flatten();
        let args = args.filter_map(Value::as_str);
        let mut env = vec![
            ("KUBECONFIG".to_owned(), kubeconfig.display().to_string()),
            ("HOSTNAME".to_owned(), name.clone()),
        ];
        env.extend(settings.environment.iter().cloned());
        for variable in container["env"].as_array().into_iter().flatten() {
            let text = |key: &str| manifest::text(variable, key).to_owned();
            env.push((text("/name"), text("/value")));
        }
        let mounts = Mount::all(pod, &settings.dir.join(&name));
        let args = args.map(|arg| found(narrowed(arg, ip), &mounts));
        Ok(Self {
            program: settings.program.clone(),
            args: args.collect(),
            env,
            log: settings.dir.join(format!("{name}.log")),
            ip,
            container: manifest::text(container, "/name").to_owned(),
            probe: Probe::of(container, ip)?,
            mounted: mounts.is_empty(),
            mounts,
            child: None,
            started: Instant::now(),
            restarts: 0,
            told: None,
        })
    }

    /// Brings mounted Secrets up to date.
    pub(super) fn refresh(&mut self, api: &Api) -> Result<()> {
        let mut all = true;
        for mount in &mut self.mounts {
            all &= mount.refresh(api)?;
        }
        self.mounted |= all;
        Ok(())
    }

    /// Starts, restarts and probes as need be; how the pod is, if that is news.
    pub(super) fn news(&mut self) -> Result<Option<Status>> {
        let due = self.restarts == 0 || self.started.elapsed() >= self.pause();
        let ended = match &mut self.child {
            Some(child) => child.try_wait()?.is_some(),
            None => false,
        };
        if ended {
            self.child = None;
            self.restarts += 1;
            self.started = Instant::now();
            if let Some(probe) = &mut self.probe {
                probe.reset();
            }
        } else if self.child.is_none() && due && self.mounted {
            self.spawn()?;
        }
        let up = self.child.is_some();
        let began = self.started;
        let now = Status {
            ready: up && self.probe.as_mut().is_none_or(|probe| probe.passes(began)),
            restarts: self.restarts,
        };
        Ok((self.told != Some(now)).then_some(now))
    }

    /// The API server knows this.
    pub(super) fn told(&mut self, status: Status) {
        self.told = Some(status);
    }

    /// How long there is nothing to do, unless the process ends.
    pub(super) fn idle(&self) -> Duration {
        let probe = self.probe.as_ref();
        let probe = probe.map_or(LOOK, |probe| probe.rest(self.started));
        // A process that ended is seen soon, too.
        probe.min(LOOK)
    }

    fn pause(&self) -> Duration {
        let doubled = self.restarts.saturating_sub(1).min(5);
        (BACK_OFF * 2_u32.pow(doubled)).min(LONGEST)
    }

    fn spawn(&mut self) -> Result<()> {
        let log = File::options().create(true).append(true).open(&self.log)?;
        let child = Command::new(&self.program)
            .args(&self.args)
            .envs(self.env.iter().cloned())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        self.child = Some(child);
        self.started = Instant::now();
        Ok(())
    }

    /// The status of the pod in full.
    pub(super) fn status(&self, status: Status) -> Value {
        let ready = status.ready;
        let word = if ready { "True" } else { "False" };
        let state = if self.child.is_some() {
            json!({"running": {}})
        } else {
            json!({"waiting": {"reason": "CrashLoopBackOff"}})
        };
        let conditions = [
            ("PodScheduled", "True"),
            ("Initialized", "True"),
            ("ContainersReady", word),
            ("Ready", word),
        ];
        json!({
            "phase": "Running", "podIP": self.ip, "podIPs": [{"ip": self.ip}],
            "conditions": conditions.map(|(kind, status)| json!({"type": kind, "status": status})),
            "containerStatuses": [{
                "name": self.container, "ready": ready, "started": true, "state": state,
                "restartCount": status.restarts, "image": "", "imageID": "",
            }],
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// `--metrics-addr=:8080` becomes `--metrics-addr=10.77.0.10:8080`.
fn narrowed(arg: &str, ip: IpAddr) -> String {
    match arg.split_once("-addr=:") {
        Some((flag, port)) => format!("{flag}-addr={ip}:{port}"),
        None => arg.to_owned(),
    }
}

/// An argument that names a mounted folder names where it really is.
fn found(arg: String, mounts: &[Mount]) -> String {
    mounts.iter().fold(arg, |arg, mount| {
        arg.replace(&mount.inside, &mount.outside.display().to_string())
    })
}
