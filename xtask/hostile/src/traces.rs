//! What is seen of the operator's process while entries are at work: restarts, memory, health and the
//! lease. Written by the threads that look, read at the end of a round.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Shared by the threads of one round.
#[derive(Clone, Default)]
pub(crate) struct Traces {
    shared: Arc<Mutex<Trace>>,
}

/// What was seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    /// How the process ended, each time.
    pub(crate) ends: Vec<String>,
    /// The most resident memory of all processes of the round, in KiB.
    pub(crate) peak_kib: u64,
    /// Processor time of all of them.
    pub(crate) cpu: Duration,
    /// Answers of `/healthz` that failed or took too long.
    pub(crate) sick: u64,
    /// The most of them in a row.
    pub(crate) sick_in_a_row: u64,
    sick_now: u64,
    /// Longest time between two renewals of the lease.
    pub(crate) gap: Duration,
    /// How often the lease changed its holder.
    pub(crate) losses: u64,
    holder: String,
    renewed: Option<(String, Instant)>,
}

impl Traces {
    /// Notes the answer of a health probe.
    pub(crate) fn health(&self, good: bool) {
        let mut trace = self.lock();
        if good {
            trace.sick_now = 0;
            return;
        }
        trace.sick += 1;
        trace.sick_now += 1;
        trace.sick_in_a_row = trace.sick_in_a_row.max(trace.sick_now);
    }

    /// Notes the lease as it is now.
    pub(crate) fn lease(&self, holder: &str, renewed: &str, now: Instant) {
        let mut trace = self.lock();
        if !trace.holder.is_empty() && !holder.is_empty() && trace.holder != holder {
            trace.losses += 1;
        }
        if !holder.is_empty() {
            holder.clone_into(&mut trace.holder);
        }
        let (last, since) = trace
            .renewed
            .take()
            .unwrap_or_else(|| (renewed.to_owned(), now));
        trace.gap = trace.gap.max(now.saturating_duration_since(since));
        let since = if last == renewed { since } else { now };
        trace.renewed = Some((renewed.to_owned(), since));
    }

    /// Forgets how the process came up: only what happens from now on counts against an entry.
    pub(crate) fn settle(&self) {
        let mut trace = self.lock();
        trace.sick = 0;
        trace.sick_now = 0;
        trace.sick_in_a_row = 0;
        trace.gap = Duration::ZERO;
        if let Some((_, since)) = &mut trace.renewed {
            *since = Instant::now();
        }
    }

    /// What was seen so far.
    pub(crate) fn now(&self) -> Trace {
        self.lock().clone()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Trace> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_gap_counts_also_when_no_renewal_ends_it() {
        let traces = Traces::default();
        let began = Instant::now();
        let at = |seconds| began + Duration::from_secs(seconds);
        traces.lease("a", "1", at(0));
        traces.lease("a", "2", at(2));
        traces.lease("a", "2", at(9));

        assert_eq!(traces.now().gap, Duration::from_secs(7));
        assert_eq!(traces.now().losses, 0);
        traces.lease("b", "3", at(10));
        assert_eq!(traces.now().losses, 1);
    }

    #[test]
    fn failed_probes_are_counted_in_all_and_in_a_row() {
        let traces = Traces::default();
        for good in [false, false, true, false] {
            traces.health(good);
        }

        let trace = traces.now();
        assert_eq!((trace.sick, trace.sick_in_a_row), (3, 2));
    }
}
