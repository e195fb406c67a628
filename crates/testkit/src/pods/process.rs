//! One pod: the process of its container, its probe and its restarts. Every pod has an address of
//! its own; flags that name a port on all addresses are narrowed to it.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::Settings;
use super::volumes::Mount;
use crate::api::Api;
use crate::manifest;

/// First pause before a restart; it doubles up to five minutes, as a kubelet's does.
const BACK_OFF: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_mins(5);

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
    told: Option<(bool, u32)>,
}

struct Probe {
    at: SocketAddr,
    path: String,
    delay: Duration,
    period: Duration,
    asked: Option<Instant>,
    passed: bool,
}

impl Process {
    pub(super) fn new(
        settings: &Settings,
        pod: &Value,
        kubeconfig: PathBuf,
        ip: IpAddr,
    ) -> Result<Self> {
        add_address(ip)?;
        let name = manifest::text(pod, "/metadata/name").to_owned();
        let container = &pod["spec"]["containers"][0];
        let args = container["args"].as_array().into_iter().flatten();
        let args = args.filter_map(Value::as_str);
        let mut env = vec![
            ("KUBECONFIG".to_owned(), kubeconfig.display().to_string()),
            ("HOSTNAME".to_owned(), name.clone()),
        ];
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

    /// Starts, restarts and probes as need be; the pod's status if that is news.
    pub(super) fn news(&mut self) -> Result<Option<Value>> {
        let due = self.told.is_none() || self.started.elapsed() >= self.pause();
        let ended = match &mut self.child {
            Some(child) => child.try_wait()?.is_some(),
            None => false,
        };
        if ended {
            self.child = None;
            self.restarts += 1;
            self.started = Instant::now();
            if let Some(probe) = &mut self.probe {
                probe.passed = false;
            }
        } else if self.child.is_none() && due && self.mounted {
            self.spawn()?;
        }
        let up = self.child.is_some();
        let began = self.started;
        let ready = up && self.probe.as_mut().is_none_or(|probe| probe.passes(began));
        if self.told == Some((ready, self.restarts)) {
            return Ok(None);
        }
        self.told = Some((ready, self.restarts));
        Ok(Some(self.status(ready)))
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

    fn status(&self, ready: bool) -> Value {
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
                "restartCount": self.restarts, "image": "", "imageID": "",
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

impl Probe {
    fn of(container: &Value, ip: IpAddr) -> Result<Option<Self>> {
        let probe = &container["readinessProbe"];
        if probe.is_null() {
            return Ok(None);
        }
        let seconds =
            |key: &str, default| Duration::from_secs(probe[key].as_u64().unwrap_or(default));
        Ok(Some(Self {
            at: SocketAddr::new(ip, port(container, &probe["httpGet"]["port"])?),
            path: manifest::text(probe, "/httpGet/path").to_owned(),
            delay: seconds("initialDelaySeconds", 0),
            period: seconds("periodSeconds", 10),
            asked: None,
            passed: false,
        }))
    }

    /// Asks when it is time; otherwise the last answer counts.
    fn passes(&mut self, began: Instant) -> bool {
        let due = self
            .asked
            .is_none_or(|asked| asked.elapsed() >= self.period);
        if began.elapsed() >= self.delay && due {
            self.asked = Some(Instant::now());
            self.passed = ask(self.at, &self.path).is_ok_and(|status| status == 200);
        }
        self.passed
    }
}

/// A port by number or by the name it has in the container.
fn port(container: &Value, wanted: &Value) -> Result<u16> {
    let number = match wanted.as_str() {
        None => wanted.as_u64(),
        Some(name) => container["ports"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|port| port["name"] == name)
            .and_then(|port| port["containerPort"].as_u64()),
    };
    let number = number.with_context(|| format!("no port {wanted}"))?;
    Ok(u16::try_from(number)?)
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

/// Adds an address to the loopback device of the network namespace that tests run in.
fn add_address(ip: IpAddr) -> Result<()> {
    let address = format!("{ip}/32");
    let output = Command::new("ip")
        .args(["address", "replace", &address, "dev", "lo"])
        .output()
        .context("ip (iproute2) is needed to give pods addresses")?;
    if !output.status.success() {
        bail!(
            "cannot add the address {ip}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(())
}

fn ask(at: SocketAddr, path: &str) -> Result<u16> {
    let mut stream = TcpStream::connect_timeout(&at, Duration::from_secs(1))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    write!(
        stream,
        "GET {path} HTTP/1.0\r\nHost: {at}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let status = answer.split(' ').nth(1).context("no HTTP answer")?;
    Ok(status.parse()?)
}
