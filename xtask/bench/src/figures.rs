//! What was measured, figure by figure, with its target, and how it is printed: a table for people,
//! JSON for programs.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;

use anyhow::{Result, bail};
use serde::Serialize;

use crate::cli::Output;

/// One number with its target.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    /// The most it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at_most: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) passes: Option<bool>,
}

/// A number without a target.
pub(crate) fn figure(name: &'static str, value: f64, unit: &'static str) -> Figure {
    Figure {
        name,
        value,
        unit,
        at_most: None,
        passes: None,
    }
}

impl Figure {
    /// The same with a target, where there is one.
    pub(crate) fn at_most(mut self, target: impl Into<Option<f64>>) -> Self {
        self.at_most = target.into();
        self.passes = self.at_most.map(|target| self.value <= target);
        self
    }
}

/// One scenario with one operator.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Outcome {
    pub(crate) scenario: &'static str,
    pub(crate) objects: u32,
    pub(crate) operator: String,
    pub(crate) figures: Vec<Figure>,
}

/// A whole run.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    /// The machine's load average over a minute before the run.
    pub(crate) load_before: f64,
    /// Ours, and beside each the second operator's where one was measured.
    pub(crate) scenarios: Vec<Beside>,
}

/// One scenario, measured once or twice.
#[derive(Debug, Serialize)]
pub(crate) struct Beside {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ours: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) other: Option<Outcome>,
}

impl Report {
    /// An empty report that knows how busy the machine is now.
    pub(crate) fn now() -> Self {
        Self {
            load_before: load(),
            scenarios: Vec::new(),
        }
    }

    /// Prints everything; an error when a figure of ours misses its target.
    pub(crate) fn print(&self, output: Output) -> Result<()> {
        let text = match output {
            Output::Json => serde_json::to_string_pretty(self)?,
            Output::Table => self.table(),
        };
        writeln!(std::io::stdout().lock(), "{text}")?;
        let ours = self.scenarios.iter().filter_map(|pair| pair.ours.as_ref());
        let figures = ours.flat_map(|outcome| &outcome.figures);
        match figures
            .filter(|figure| figure.passes == Some(false))
            .count()
        {
            0 => Ok(()),
            missed => bail!("{missed} figures miss their target"),
        }
    }

    fn table(&self) -> String {
        let mut text = format!("load before the run: {:.2}\n", self.load_before);
        for pair in &self.scenarios {
            let Some(first) = pair.ours.as_ref().or(pair.other.as_ref()) else {
                continue;
            };
            let _ = writeln!(text, "{}, {} objects", first.scenario, first.objects);
            for outcome in [&pair.ours, &pair.other].into_iter().flatten() {
                let _ = writeln!(text, "  {}", outcome.operator);
            }
            for figure in &first.figures {
                let other = pair.other.as_ref().filter(|_| pair.ours.is_some());
                let other = other.and_then(|outcome| outcome.get(figure.name));
                let _ = writeln!(text, "{}", line(figure, other).trim_end());
            }
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// The load average over the last minute.
fn load() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let first = text.split(' ').next().and_then(|first| first.parse().ok());
    first.unwrap_or_default()
}

impl Outcome {
    fn get(&self, name: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.name == name)
    }
}

fn line(figure: &Figure, other: Option<&Figure>) -> String {
    let value = format!("{} {}", short(figure.value), figure.unit);
    let target = match (figure.at_most, figure.passes) {
        (Some(most), Some(true)) => format!("ok, at most {}", short(most)),
        (Some(most), _) => format!("MISSED, at most {}", short(most)),
        (None, _) => String::new(),
    };
    let beside = match other {
        Some(other) if figure.value > 0.0 => format!(
            "other {} {}, {:.1} times ours",
            short(other.value),
            other.unit,
            other.value / figure.value
        ),
        Some(other) => format!("other {} {}", short(other.value), other.unit),
        None => String::new(),
    };
    format!("    {:<34}{value:>14}  {target:<22}{beside}", figure.name)
}

/// Few digits, as many as tell something.
fn short(value: f64) -> String {
    match value.abs() {
        large if large >= 100.0 || value.fract() == 0.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(value: f64) -> Outcome {
        Outcome {
            scenario: "idle",
            objects: 10,
            operator: "one".to_owned(),
            figures: vec![figure("provider calls", value, "calls").at_most(10.0)],
        }
    }

    #[test]
    fn a_missed_target_is_marked_and_an_error() {
        let report = Report {
            load_before: 0.0,
            scenarios: vec![Beside {
                ours: Some(outcome(11.0)),
                other: None,
            }],
        };

        assert!(report.table().contains("11 calls  MISSED, at most 10"));
        assert!(report.print(Output::Json).is_err());
    }

    #[test]
    fn the_second_operator_is_shown_as_a_ratio_and_never_fails_the_run() {
        let report = Report {
            load_before: 0.0,
            scenarios: vec![Beside {
                ours: Some(outcome(10.0)),
                other: Some(outcome(3000.0)),
            }],
        };

        let table = report.table();

        assert!(table.contains("ok, at most 10"), "{table}");
        assert!(
            table.contains("other 3000 calls, 300.0 times ours"),
            "{table}"
        );
        assert!(report.print(Output::Table).is_ok());
    }
}
