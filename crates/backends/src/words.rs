//! How states and differences are shown to people. Names and dates, never values.

use lockstep_provider_api::lifecycle::{Owner, State, Undo};

use crate::content::Difference;

/// A state as a part of a sentence.
pub(crate) fn state(state: &State) -> String {
    let text = match state {
        State::Available => "available",
        State::Missing => "not there",
        State::NoVersion => "without a version",
        State::Disabled => "disabled",
        State::Expired => "expired",
        State::NotYetValid => "not valid yet",
        State::PendingDeletion { until: Some(until) } => {
            return format!("deleted, can be restored until {until}");
        }
        State::PendingDeletion { until: None } => "deleted, can be restored",
        State::PurgeBlocked { until: Some(until) } => {
            return format!("deleted, can be restored and not be purged until {until}");
        }
        State::PurgeBlocked { until: None } => "deleted, can be restored, cannot be purged",
        State::Destroyed => "its newest value is destroyed for good",
        State::Changing => "the backend is still working on it",
        _ => "in a state that this command does not know",
    };
    text.to_owned()
}

/// How a deletion can be undone.
pub(crate) fn undo(undo: Undo) -> String {
    match undo {
        Undo::Days(days) => format!("can be restored for {days} days"),
        Undo::Open => "can be restored until it is purged".to_owned(),
        Undo::Never => "cannot be restored".to_owned(),
    }
}

/// Which fields differ.
pub(crate) fn difference(difference: &Difference) -> String {
    if difference.whole {
        return "the value differs".to_owned();
    }
    let parts = [
        ("added", &difference.added),
        ("changed", &difference.changed),
        ("removed", &difference.removed),
    ];
    let parts = parts.iter().filter(|(_, names)| !names.is_empty());
    let parts = parts.map(|(word, names)| {
        let noun = if names.len() == 1 { "field" } else { "fields" };
        format!("{noun} {word}: {}", names.join(", "))
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// Which tags differ.
pub(crate) fn tags(names: &[String]) -> String {
    let noun = if names.len() == 1 {
        "tag differs"
    } else {
        "tags differ"
    };
    format!("{noun}: {}", names.join(", "))
}

/// Whose a secret is.
pub(crate) const fn owner(owner: Owner) -> &'static str {
    match owner {
        Owner::Ours => "yes",
        Owner::Foreign => "no",
        Owner::Unknown => "-",
    }
}
