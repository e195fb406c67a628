//! The operator under trial as a process: started, watched for its end, its memory and its health, and
//! started again when it ends, as a cluster would do.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use lockstep_testkit::operator::{Health, Operator};
use lockstep_testkit::place;
use lockstep_testkit::process::Usage;
use lockstep_testkit::progress::say;

use crate::traces::Traces;

const POLL: Duration = Duration::from_millis(50);
/// A kubelet asks every ten seconds; more often shows shorter outages.
const HEALTH_EVERY: Duration = Duration::from_millis(500);
/// How long a health probe may take: a kubelet's default is one second.
const HEALTH_WITHIN: Duration = Duration::from_secs(2);
/// A kubelet waits longer; the hostile tenant should not be spared by that.
const RESTART_AFTER: Duration = Duration::from_millis(500);

/// How the operator of one round is started.
pub(crate) struct Start {
    pub(crate) flags: Vec<String>,
    pub(crate) log: PathBuf,
}

/// A binary with its flags and limits.
pub(crate) struct Subject {
    pub(crate) program: PathBuf,
    pub(crate) flags: Vec<String>,
    pub(crate) kubeconfig: PathBuf,
    /// Resident memory at which it is killed, in KiB.
    pub(crate) kill_at: u64,
}

impl Subject {
    /// The binary given, or ours, built now.
    pub(crate) fn program(given: Option<&Path>) -> Result<PathBuf> {
        if let Some(path) = given {
            return path
                .canonicalize()
                .with_context(|| format!("no operator at {}", path.display()));
        }
        say("building our operator with the release profile (several minutes the first time)");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .current_dir(place::workspace())
            .args(["build", "--release", "--package", "lockstep"])
            .status()?;
        if !status.success() {
            bail!("the operator does not build; give a binary with --operator");
        }
        let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        Ok(place::workspace().join(target).join("release/lockstep"))
    }

    /// Starts it; waits for nothing.
    pub(crate) fn start(&self, how: &Start) -> Result<Operator> {
        let flags: Vec<&str> = self
            .flags
            .iter()
            .chain(&how.flags)
            .map(String::as_str)
            .collect();
        Operator::start(&self.program, &self.kubeconfig, &flags, &how.log)
    }

    /// Keeps it running until told to end, and notes what happens to it.
    pub(crate) fn attend(
        &self,
        mut operator: Operator,
        how: &Start,
        traces: &Traces,
        ended: &AtomicBool,
    ) -> Result<()> {
        let mut spent = Duration::ZERO;
        let mut before = Duration::ZERO;
        let health = Mutex::new(operator.health());
        std::thread::scope(|threads| {
            threads.spawn(|| probe(&health, traces, ended));
            while !ended.load(Ordering::Relaxed) {
                if let Ok(usage) = Usage::of(operator.id()) {
                    spent = usage.cpu;
                    let mut trace = traces.lock();
                    trace.peak_kib = trace.peak_kib.max(usage.peak_kib);
                    trace.cpu = before + spent;
                    if usage.resident_kib > self.kill_at {
                        drop(trace);
                        operator.signal("KILL")?;
                    }
                }
                if let Err(error) = operator.check() {
                    let text = format!("{error:#}");
                    let kept = how
                        .log
                        .with_extension(format!("{}.log", traces.now().ends.len() + 1));
                    drop(std::fs::rename(&how.log, kept));
                    traces.lock().ends.push(text);
                    before += spent;
                    sleep(RESTART_AFTER);
                    operator = self.start(how)?;
                    *health.lock().unwrap_or_else(PoisonError::into_inner) = operator.health();
                }
                sleep(POLL);
            }
            Ok(())
        })
    }
}

fn probe(health: &Mutex<Health>, traces: &Traces, ended: &AtomicBool) {
    while !ended.load(Ordering::Relaxed) {
        let at = *health.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = at.probe("/healthz", HEALTH_WITHIN);
        if !ended.load(Ordering::Relaxed) {
            traces.health(matches!(answer, Ok((200, _))));
        }
        sleep(HEALTH_EVERY);
    }
}
