//! The operator's processes: started, killed, frozen and started again, as nodes and kubelets do.
//! What they logged is kept, for the judgement and for the report of a failure.

use std::path::PathBuf;
use std::time::Duration;

use lockstep_testkit::operator::Operator;

use crate::process::{metric, started};

/// One or several replicas.
pub(crate) struct Replicas {
    kubeconfig: PathBuf,
    flags: Vec<String>,
    running: Vec<Option<Operator>>,
    past: Vec<String>,
}

/// What a process holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weight {
    pub(crate) process: u32,
    pub(crate) files: usize,
    pub(crate) kibibytes: u64,
}

impl Replicas {
    pub(crate) fn start(kubeconfig: PathBuf, count: usize, lease: &str) -> Self {
        let mut flags = vec!["--loglevel=debug".to_owned()];
        if count > 1 {
            flags.extend([
                "--enable-leader-election".to_owned(),
                format!("--leader-election-id={lease}"),
                "--leader-election-lease-duration=9s".to_owned(),
                "--leader-election-renew-deadline=6s".to_owned(),
                "--leader-election-retry-period=500ms".to_owned(),
            ]);
        }
        let mut replicas = Self {
            kubeconfig,
            flags,
            running: (0..count).map(|_| None).collect(),
            past: Vec::new(),
        };
        replicas.tend();
        replicas
    }

    pub(crate) fn count(&self) -> usize {
        self.running.len()
    }

    /// Starts what does not run. One of several may end by itself, when it loses the lease.
    pub(crate) fn tend(&mut self) {
        let alone = self.running.len() == 1;
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        for place in &mut self.running {
            if let Some(operator) = place
                && let Err(error) = operator.check()
            {
                assert!(!alone, "{error}");
                self.past.push(operator.logged());
                *place = None;
            }
            if place.is_none() {
                *place = Some(started(&self.kubeconfig, &flags));
            }
        }
    }

    /// Ends one at once, without a word.
    pub(crate) fn kill(&mut self, number: usize) {
        if let Some(operator) = self.running[number].take() {
            let log = operator.logged();
            drop(operator);
            self.past.push(log);
        }
    }

    /// Asks one to stop, and waits for it.
    pub(crate) fn terminate(&mut self, number: usize) {
        if let Some(mut operator) = self.running[number].take() {
            // One that has just ended by itself cannot be asked.
            drop(operator.terminate());
            self.past.push(operator.logged());
        }
    }

    /// Lets one stand still, as a node without memory does.
    pub(crate) fn freeze(&self, number: usize, time: Duration) {
        if let Some(operator) = &self.running[number] {
            drop(operator.signal("STOP"));
            std::thread::park_timeout(time);
            drop(operator.signal("CONT"));
        }
    }

    /// What the busiest holds: the leader.
    pub(crate) fn weight(&self) -> Option<Weight> {
        let runs =
            |operator: &&Operator| metric(operator, "controller_runtime_reconcile_total", "");
        let leader = self.running.iter().flatten().max_by_key(runs)?;
        let folder = format!("/proc/{}", leader.id());
        let status = std::fs::read_to_string(format!("{folder}/status")).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        Some(Weight {
            process: leader.id(),
            files: std::fs::read_dir(format!("{folder}/fd")).ok()?.count(),
            kibibytes: line.split_whitespace().nth(1)?.parse().ok()?,
        })
    }

    /// Lines of all logs, those of ended processes first.
    pub(crate) fn logged(&self) -> Vec<String> {
        let now = self.running.iter().flatten().map(Operator::logged);
        let all: Vec<String> = self.past.iter().cloned().chain(now).collect();
        let lines = all.iter().flat_map(|log| log.lines());
        lines.map(str::to_owned).collect()
    }
}
