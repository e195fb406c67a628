//! What all passes of a shadow saw: the last judgement of every object, how often it differed, how long it
//! took, and the calls that would be saved. Pure.

use std::collections::BTreeMap;
use std::time::Duration;

use lockstep_index::ObjectKey;
use lockstep_toolbox::exit::Exit;
use serde_json::{Value, json};

use super::judge::{Judged, Verdict};
use super::pass::Pass;
use super::savings::Savings;

/// Everything seen so far.
#[derive(Default)]
pub(super) struct Report {
    pub(super) passes: usize,
    pub(super) objects: BTreeMap<ObjectKey, Line>,
    pub(super) pushes: BTreeMap<ObjectKey, Result<usize, String>>,
    pub(super) savings: Savings,
    /// Requests that the last pass made to backends.
    pub(super) calls: u64,
}

/// What was seen of one object.
pub(super) struct Line {
    /// The last judgement.
    pub(super) judged: Judged,
    /// Passes in which it differed or failed.
    pub(super) bad_passes: usize,
    /// The longest time a sync took.
    pub(super) took: Duration,
}

/// Times to sync over all objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) median: Duration,
    pub(super) most: Duration,
}

impl Report {
    /// Takes in a pass. Objects that are gone are forgotten.
    pub(super) fn add(&mut self, pass: Pass) {
        self.passes += 1;
        self.savings = pass.savings;
        self.calls = pass.calls;
        self.pushes = pass.pushes;
        let mut before = std::mem::take(&mut self.objects);
        for (key, seen) in pass.objects {
            let earlier = before.remove(&key);
            let bad = usize::from(seen.judged.verdict.is_bad());
            let line = Line {
                judged: seen.judged,
                bad_passes: bad + earlier.as_ref().map_or(0, |line| line.bad_passes),
                took: seen
                    .took
                    .max(earlier.map_or(Duration::ZERO, |line| line.took)),
            };
            self.objects.insert(key, line);
        }
    }

    /// How many objects have a verdict.
    pub(super) fn count(&self, verdict: Verdict) -> usize {
        let lines = self.objects.values();
        lines.filter(|line| line.judged.verdict == verdict).count()
    }

    /// How long syncs took.
    pub(super) fn times(&self) -> Times {
        let mut all: Vec<Duration> = self.objects.values().map(|line| line.took).collect();
        all.sort();
        Times {
            median: all.get(all.len() / 2).copied().unwrap_or_default(),
            most: all.last().copied().unwrap_or_default(),
        }
    }

    /// How the command ends.
    pub(super) fn exit(&self) -> Exit {
        let bad = self
            .objects
            .values()
            .any(|line| line.judged.verdict.is_bad());
        if bad { Exit::Findings } else { Exit::Fine }
    }

    /// The document for programs.
    pub(super) fn json(&self) -> Value {
        let objects = self.objects.iter().map(|(key, line)| {
            json!({
                "namespace": key.namespace(),
                "name": key.name(),
                "verdict": line.judged.verdict,
                "cause": line.judged.cause,
                "differences": line.judged.differences,
                "badPasses": line.bad_passes,
                "syncMillis": millis(line.took),
            })
        });
        let pushes = self.pushes.iter().map(|(key, told)| {
            json!({
                "namespace": key.namespace(),
                "name": key.name(),
                "wouldPush": told.as_ref().ok(),
                "failure": told.as_ref().err(),
            })
        });
        let times = self.times();
        json!({
            "passes": self.passes,
            "objects": objects.collect::<Vec<_>>(),
            "pushSecrets": pushes.collect::<Vec<_>>(),
            "providerCalls": {
                "originalAnHour": self.savings.original_an_hour,
                "lockstepAnHour": self.savings.lockstep_an_hour,
                "savedPercent": self.savings.percent(),
                "requestsOfLastPass": self.calls,
            },
            "syncMillis": {"median": millis(times.median), "most": millis(times.most)},
            "summary": {
                "equal": self.count(Verdict::Equal),
                "kept": self.count(Verdict::Kept),
                "wouldGenerate": self.count(Verdict::WouldGenerate),
                "foreign": self.count(Verdict::Foreign),
                "bothFail": self.count(Verdict::BothFail),
                "differs": self.count(Verdict::Differs),
                "fails": self.count(Verdict::Fails),
            },
        })
    }
}

/// Whole milliseconds.
pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
