//! What a process has cost so far, read from /proc.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};

/// The unit of CPU times in /proc: Linux reports hundredths of a second to programs on every
/// architecture.
const TICK: Duration = Duration::from_millis(10);

/// Memory and CPU of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The most memory it ever had resident (VmHWM), in KiB.
    pub peak_kib: u64,
    /// What is resident now (VmRSS), in KiB.
    pub resident_kib: u64,
    /// User and system time.
    pub cpu: Duration,
}

impl Usage {
    /// Of the process with this id.
    pub fn of(id: u32) -> Result<Self> {
        let read = |file: &str| {
            let path = format!("/proc/{id}/{file}");
            fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))
        };
        let status = read("status")?;
        let stat = read("stat")?;
        Self::parse(&status, &stat).context("/proc has an unexpected form")
    }

    /// The peak in MiB.
    pub fn peak_mib(&self) -> f64 {
        mib(self.peak_kib)
    }

    /// What is resident in MiB.
    pub fn resident_mib(&self) -> f64 {
        mib(self.resident_kib)
    }

    fn parse(status: &str, stat: &str) -> Option<Self> {
        let kib = |field: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(field))?;
            line.split_whitespace().next()?.parse().ok()
        };
        Some(Self {
            peak_kib: kib("VmHWM:")?,
            resident_kib: kib("VmRSS:")?,
            cpu: cpu_from(stat, 11)?,
        })
    }
}

/// CPU of all children of this process that have ended, and of their children. Unlike the clock, it does not grow because the
/// machine has other work.
pub fn ended_children_cpu() -> Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").context("cannot read /proc/self/stat")?;
    cpu_from(&stat, 13).context("/proc has an unexpected form")
}

/// User time at this field of a `stat` file, counted from the one after the name, and system time, which follows it.
fn cpu_from(stat: &str, user: usize) -> Option<Duration> {
    // The second field is the program's name in brackets and may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = |at: usize| fields.split_whitespace().nth(at)?.parse::<u32>().ok();
    Some(TICK * (ticks(user)? + ticks(user + 1)?))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "memory in KiB is far below 2^52"
)]
fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_proc_are_found() {
        let status = "Name:\tx\nVmHWM:\t   4096 kB\nVmRSS:\t    1024 kB\n";
        let stat = "1 (a) b) S 1 1 1 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 4 0 1 1 1";

        let usage = Usage::parse(status, stat).unwrap();

        let want = Usage {
            peak_kib: 4096,
            resident_kib: 1024,
            cpu: Duration::from_secs(2),
        };
        assert_eq!(usage, want);
    }

    #[test]
    fn the_times_of_children_follow_our_own() {
        let stat = "1 (a) b) S 1 1 1 0 -1 4194304 100 0 0 0 150 50 200 100 20 0 4 0 1 1 1";

        assert_eq!(cpu_from(stat, 11), Some(Duration::from_secs(2)));
        assert_eq!(cpu_from(stat, 13), Some(Duration::from_secs(3)));
    }

    #[test]
    fn our_own_process_can_be_measured() {
        let usage = Usage::of(std::process::id()).unwrap();

        assert!(usage.peak_kib >= usage.resident_kib && usage.resident_kib > 0);
    }
}
