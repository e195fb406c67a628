//! Whether an entry passed: what healthy tenants, the process and the lease may suffer at most. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::traces::Trace;

/// The holder gives up after this time without a renewal: the default of the original's flag.
const RENEW_DEADLINE: Duration = Duration::from_secs(10);
/// A kubelet restarts a container after so many failed probes in a row.
const SICK_IN_A_ROW: u64 = 3;

/// What is allowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// In which a new healthy object must be ready.
    pub(crate) late: Duration,
    /// Most resident memory, in KiB.
    pub(crate) memory_kib: u64,
}

/// What one round did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// New healthy objects.
    pub(crate) probes: usize,
    /// The time each of them took that became ready.
    pub(crate) times: Vec<Duration>,
    /// Healthy objects that turned not ready, with their message.
    pub(crate) fell: BTreeMap<String, String>,
    /// Secrets that vanished or changed although they must not.
    pub(crate) lost: BTreeSet<String>,
    /// What else an entry must not reach, and did.
    pub(crate) broken: Vec<String>,
    /// What was seen of the process.
    pub(crate) trace: Trace,
}

impl Outcome {
    /// New healthy objects that were late, those that never came included.
    pub(crate) fn late(&self, limits: &Limits) -> usize {
        let in_time = self.times.iter().filter(|time| **time <= limits.late);
        self.probes - in_time.count()
    }

    /// The longest time of a new healthy object; nothing when one never came.
    pub(crate) fn worst(&self) -> Option<Duration> {
        let all = self.times.len() == self.probes;
        all.then(|| self.times.iter().max().copied()).flatten()
    }

    /// Everything that makes the round fail.
    pub(crate) fn faults(&self, limits: &Limits) -> Vec<String> {
        let mut faults = Vec::new();
        let trace = &self.trace;
        if let Some(end) = trace.ends.first() {
            let count = trace.ends.len();
            faults.push(format!(
                "the process ended {count} times, first: {}",
                first_line(end)
            ));
        }
        let late = self.late(limits);
        if late > 0 {
            let never = self.probes - self.times.len();
            faults.push(format!(
                "{late} of {} new healthy objects late, {never} of them never ready",
                self.probes
            ));
        }
        if let Some((name, message)) = self.fell.iter().next() {
            let count = self.fell.len();
            faults.push(format!(
                "{count} healthy objects turned not ready, first {name}: {message}"
            ));
        }
        if !self.lost.is_empty() {
            let names: Vec<_> = self.lost.iter().map(String::as_str).collect();
            faults.push(format!("Secrets lost: {}", names.join(", ")));
        }
        if trace.peak_kib > limits.memory_kib {
            faults.push(format!("{} MiB of memory", trace.peak_kib / 1024));
        }
        if trace.losses > 0 && trace.ends.is_empty() {
            faults.push(format!("the lease was lost {} times", trace.losses));
        }
        if trace.gap >= RENEW_DEADLINE {
            faults.push(format!(
                "the lease was not renewed for {:.1} s",
                trace.gap.as_secs_f64()
            ));
        }
        if trace.sick_in_a_row >= SICK_IN_A_ROW {
            faults.push(format!(
                "/healthz failed {} times in a row",
                trace.sick_in_a_row
            ));
        }
        faults.extend(self.broken.iter().cloned());
        faults
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        late: Duration::from_secs(2),
        memory_kib: 128 << 10,
    };

    fn calm() -> Outcome {
        Outcome {
            probes: 2,
            times: vec![Duration::from_millis(50), Duration::from_secs(2)],
            ..Outcome::default()
        }
    }

    #[test]
    fn a_calm_round_passes() {
        assert_eq!(calm().faults(&LIMITS), Vec::<String>::new());
        assert_eq!(calm().worst(), Some(Duration::from_secs(2)));
    }

    #[test]
    fn an_object_that_never_came_is_late() {
        let outcome = Outcome {
            probes: 3,
            ..calm()
        };

        assert_eq!(outcome.late(&LIMITS), 1);
        assert_eq!(outcome.worst(), None);
        assert_eq!(outcome.faults(&LIMITS).len(), 1);
    }

    #[test]
    fn every_kind_of_damage_fails_a_round() {
        let damages: [fn(&mut Outcome); 8] = [
            |outcome| outcome.times[0] = Duration::from_secs(3),
            |outcome| drop(outcome.fell.insert("o".into(), "m".into())),
            |outcome| outcome.lost.extend(["s".to_owned()]),
            |outcome| outcome.broken.push("b".into()),
            |outcome| outcome.trace.ends.push("signal 6".into()),
            |outcome| outcome.trace.peak_kib = 129 << 10,
            |outcome| outcome.trace.gap = Duration::from_secs(11),
            |outcome| outcome.trace.sick_in_a_row = 3,
        ];
        for damage in damages {
            let mut outcome = calm();
            damage(&mut outcome);
            assert_eq!(outcome.faults(&LIMITS).len(), 1, "{outcome:?}");
        }
    }
}
