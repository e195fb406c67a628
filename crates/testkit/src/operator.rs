//! An operator binary as a process: started with upstream's flags on free ports, watched for
//! health, ended on drop. It knows nothing of the binary beyond those flags, so that any drop-in
//! can be run and measured.

use std::fs::File;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

use crate::PATIENCE;
use crate::http_get::ask;
use crate::{poll, port};

/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(30);

/// A running operator.
pub struct Operator {
    child: Child,
    log: PathBuf,
    metrics: SocketAddr,
    live: SocketAddr,
}

/// The health endpoint of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Health(SocketAddr);

impl Health {
    /// Status and body of a path, which must come within `patience`, as a kubelet asks.
    pub fn probe(self, path: &str, patience: Duration) -> Result<(u16, String)> {
        ask(self.0, path, patience)
    }
}

impl Operator {
    /// Starts `program` against the cluster of `kubeconfig`; its output goes to `log`. Does not
    /// wait for health.
    pub fn start(program: &Path, kubeconfig: &Path, flags: &[&str], log: &Path) -> Result<Self> {
        Self::start_as(program, kubeconfig, "", flags, log)
    }

    /// Starts a subcommand such as `webhook`, whose health flag has another name; an empty one is
    /// the controller.
    pub fn start_as(
        program: &Path,
        kubeconfig: &Path,
        subcommand: &str,
        flags: &[&str],
        log: &Path,
    ) -> Result<Self> {
        let mut command = Command::new(program);
        if subcommand.is_empty() {
            return Self::start_command(command, "live", kubeconfig, flags, log);
        }
        command.arg(subcommand);
        Self::start_command(command, "healthz", kubeconfig, flags, log)
    }

    /// Starts the controller with variables of its environment added.
    pub fn start_in(
        program: &Path,
        kubeconfig: &Path,
        flags: &[&str],
        environment: &[(String, String)],
        log: &Path,
    ) -> Result<Self> {
        let mut command = Command::new(program);
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        Self::start_command(command, "live", kubeconfig, flags, log)
    }

    fn start_command(
        mut command: Command,
        health: &str,
        kubeconfig: &Path,
        flags: &[&str],
        log: &Path,
    ) -> Result<Self> {
        let (metrics, live) = (port::free()?, port::free()?);
        let out = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        let program = command.get_program().display().to_string();
        let child = command
            .arg(format!("--metrics-addr={metrics}"))
            .arg(format!("--{health}-addr={live}"))
            .args(flags)
            .env("KUBECONFIG", kubeconfig)
            .stdin(Stdio::null())
            .stdout(out.try_clone()?)
            .stderr(out)
            .spawn()
            .with_context(|| format!("cannot start {program}"))?;
        Ok(Self {
            child,
            log: log.to_owned(),
            metrics,
            live,
        })
    }

    /// Waits until `/healthz` answers.
    pub fn healthy(&mut self) -> Result<()> {
        let waited = poll::until(PATIENCE, || {
            if get(self.live, "/healthz").is_ok() {
                return ControlFlow::Break(Ok(()));
            }
            match self.check() {
                Ok(()) => ControlFlow::Continue(()),
                Err(ended) => ControlFlow::Break(Err(ended)),
            }
        });
        waited.unwrap_or_else(|()| {
            let log = self.log.display();
            Err(anyhow!(
                "the operator was not healthy within {PATIENCE:?}, see {log}"
            ))
        })
    }

    /// An error when the operator has ended, with the end of its log.
    pub fn check(&mut self) -> Result<()> {
        let Some(status) = self.child.try_wait()? else {
            return Ok(());
        };
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<_> = text.lines().collect();
        let tail = lines[lines.len().saturating_sub(15)..].join("\n");
        bail!("the operator ended with {status}:\n{tail}")
    }

    /// What it has logged so far.
    pub fn logged(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Status and body of a path of the health endpoint.
    pub fn probe(&self, path: &str) -> Result<(u16, String)> {
        ask(self.live, path, ANSWER)
    }

    /// The health endpoint by itself, for a thread that asks while others hold the operator.
    pub fn health(&self) -> Health {
        Health(self.live)
    }

    /// Asks it to stop, as a kubelet does, and says how long that took.
    pub fn terminate(&mut self) -> Result<(Duration, ExitStatus)> {
        let began = Instant::now();
        self.signal("TERM")?;
        let status = self.child.wait()?;
        Ok((began.elapsed(), status))
    }

    /// Sends it a signal by its name, such as `STOP`.
    pub fn signal(&self, name: &str) -> Result<()> {
        let sent = Command::new("kill")
            .args(["-s", name, &self.id().to_string()])
            .status()?;
        if !sent.success() {
            bail!("cannot send {name} to the operator");
        }
        Ok(())
    }

    /// One scrape of the metrics endpoint.
    pub fn metrics(&self) -> Result<String> {
        get(self.metrics, "/metrics")
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        // An operator that has ended by itself is fine here.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Anything but 200 is an error.
fn get(at: SocketAddr, path: &str) -> Result<String> {
    match ask(at, path, ANSWER)? {
        (200, body) => Ok(body),
        (status, _) => bail!("{path}: status {status}"),
    }
}
