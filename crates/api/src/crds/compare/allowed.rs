//! The list of allowed differences: where, in which direction, and why.
//! An allowance that covers nothing is reported, so that the list stays true.

use serde::Deserialize;
use serde_json::Value;

use super::{Difference, Report};
use crate::crds::CrdError;

const FILE: &str = "data/allowed.yaml";
const ALLOWED: &str = include_str!("../../../data/allowed.yaml");

/// Differences of one kind with one reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Allowance {
    /// Why we differ.
    reason: String,
    /// Definitions, by their plural.
    crds: Vec<String>,
    /// Places; `*` stands for any text.
    places: Vec<String>,
    /// The direction.
    change: Change,
    /// What we must say there, if it is always the same.
    ours: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Change {
    Added,
    Removed,
    Changed,
}

/// Keeps what is not allowed, and lists allowances that are not needed.
pub(super) fn sort_out(differences: Vec<Difference>) -> Result<Report, CrdError> {
    let allowances: Vec<Allowance> =
        serde_saphyr::from_str(ALLOWED).map_err(|error| CrdError::Data {
            file: FILE,
            message: error.to_string(),
        })?;
    let mut report = Report::default();
    for allowance in &allowances {
        if allowance.reason.trim().is_empty() {
            report
                .unused
                .push(format!("{:?} has no reason", allowance.places));
        }
        for (crd, place) in allowance.pairs() {
            if !differences
                .iter()
                .any(|difference| allowance.covers(crd, place, difference))
            {
                report.unused.push(format!("{crd}: {place}"));
            }
        }
    }
    let covered = |difference: &Difference| {
        allowances.iter().any(|allowance| {
            allowance
                .pairs()
                .any(|(crd, place)| allowance.covers(crd, place, difference))
        })
    };
    report.unexplained = differences
        .into_iter()
        .filter(|difference| !covered(difference))
        .collect();
    Ok(report)
}

impl Allowance {
    fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.crds.iter().flat_map(|crd| {
            self.places
                .iter()
                .map(move |place| (crd.as_str(), place.as_str()))
        })
    }

    fn covers(&self, crd: &str, place: &str, difference: &Difference) -> bool {
        let change = match (&difference.ours, &difference.upstream) {
            (Some(_), None) => Change::Added,
            (None, _) => Change::Removed,
            (Some(_), Some(_)) => Change::Changed,
        };
        let plural = difference.crd.split('.').next().unwrap_or_default();
        change == self.change
            && (crd == "*" || crd == plural)
            && fits(place, &difference.place)
            && (self.ours.is_none() || self.ours == difference.ours)
    }
}

/// Whether a text fits a pattern in which `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, rest)) => text.strip_prefix(head).is_some_and(|tail| {
            tail.char_indices()
                .map(|(index, _)| index)
                .chain([tail.len()])
                .any(|index| fits(rest, &tail[index..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(fits("v1 *.name default", "v1 spec.target.name default"));
        assert!(fits("*", ""));
        assert!(!fits("v1 *.name default", "v1 spec.target.names default"));
    }
}
