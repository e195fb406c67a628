//! `bench scale`: which scenarios run with which operators and how many objects. What a scenario
//! does is in its own file.

use std::time::Duration;

use anyhow::Result;
use lockstep_testkit::progress::say;

use crate::cli::{ScaleArgs, Scenario};
use crate::figures::{Beside, Outcome, Report};
use crate::raw;
use crate::scenario::{fan_out, idle, latency, push, restart, stop, sync};
use crate::subject::Subject;

const ALL: [Scenario; 7] = [
    Scenario::Sync,
    Scenario::Restart,
    Scenario::Idle,
    Scenario::Push,
    Scenario::FanOut,
    Scenario::Latency,
    Scenario::Stop,
];

pub(crate) fn run(args: &ScaleArgs) -> Result<()> {
    let mut report = Report::now();
    let ours = if args.operator_only {
        None
    } else {
        Some(Subject::ours(args.ours.as_deref())?)
    };
    let other = args.operator.as_deref();
    let other = other
        .map(|path| Subject::other(path, &args.operator_flag))
        .transpose()?;
    let wanted = match args.scenario.as_slice() {
        [] => &ALL[..],
        some => some,
    };
    for scenario in wanted {
        for count in counts(*scenario, args.objects) {
            say(&format!("scenario {scenario:?} with {count} objects"));
            let one = One {
                scenario: *scenario,
                count,
                limit: Duration::from_secs(args.limit),
                raw: match scenario {
                    Scenario::Sync => Some(raw::measure(count, crate::cli::RAW_WORKERS)?),
                    _ => None,
                },
            };
            report.scenarios.push(Beside {
                ours: ours.as_ref().map(|subject| one.run(subject)).transpose()?,
                other: other.as_ref().map(|subject| one.run(subject)).transpose()?,
            });
        }
    }
    report.print(args.output)
}

/// How many objects the targets of a scenario are set for.
fn counts(scenario: Scenario, given: Option<u32>) -> Vec<u32> {
    match (given, scenario) {
        (Some(count), _) => vec![count],
        (None, Scenario::Sync) => vec![1_000, 10_000],
        (None, Scenario::Latency | Scenario::Stop) => vec![10_000],
        (None, Scenario::Idle | Scenario::Push | Scenario::FanOut | Scenario::Restart) => {
            vec![1_000]
        }
    }
}

/// One scenario to be run with any operator.
pub(crate) struct One {
    scenario: Scenario,
    pub(crate) count: u32,
    /// Longest time to wait for anything.
    pub(crate) limit: Duration,
    /// The plain client's result, in the scenario that is compared with it.
    pub(crate) raw: Option<crate::report::Report>,
}

impl One {
    fn run(&self, subject: &Subject) -> Result<Outcome> {
        let (scenario, figures) = match self.scenario {
            Scenario::Sync => ("sync", sync::run(self, subject)?),
            Scenario::Latency => ("latency", latency::run(self, subject)?),
            Scenario::Idle => ("idle", idle::run(self, subject)?),
            Scenario::Push => ("push", push::run(self, subject)?),
            Scenario::FanOut => ("fan-out", fan_out::run(self, subject)?),
            Scenario::Restart => ("restart", restart::run(self, subject)?),
            Scenario::Stop => ("stop", stop::run(self, subject)?),
        };
        Ok(Outcome {
            scenario,
            objects: self.count,
            operator: subject.label(),
            figures,
        })
    }

    /// A target that is set for this number of objects only.
    pub(crate) fn target_for(&self, count: u32, target: f64) -> Option<f64> {
        (self.count == count).then_some(target)
    }
}
