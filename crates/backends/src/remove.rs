//! `delete` and `purge`: first what would be lost and until when it could be restored, then, with
//! consent, one secret after the other. Each is looked at once more right before.

use jiff::{SignedDuration, Timestamp};
use lockstep_local::table::Table;
use lockstep_provider_api::lifecycle::{Description, State, Undo};

use crate::observe::{Backend, patiently};
use crate::plan::{self, Action, Step, Switch};
use crate::report::{Outcome, Row, cell};
use crate::restore::at_rest;
use crate::words;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Delete,
    Purge,
}

/// How it works.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) verb: Verb,
    /// Whether secrets that are not marked as managed are included.
    pub(crate) unmanaged: Switch,
    /// How long a deletion stays undoable, where the backend lets that be chosen.
    pub(crate) days: Option<u32>,
}

/// What would happen to one secret.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) row: Row,
    /// What a deletion would mean; `None` where nothing will be done.
    pub(crate) undo: Option<Undo>,
}

impl Settings {
    fn decide(&self, description: &Description) -> Step {
        let mut description = *description;
        if let (Undo::Days(_), Some(days)) = (description.undo, self.days) {
            description.undo = Undo::Days(days);
        }
        match self.verb {
            Verb::Delete => plan::delete(&description, self.unmanaged),
            Verb::Purge => plan::purge(&description, self.unmanaged),
        }
    }

    fn undo(&self, description: &Description) -> Undo {
        match (self.verb, description.undo, self.days) {
            (Verb::Purge, ..) => Undo::Never,
            (Verb::Delete, Undo::Days(_), Some(days)) => Undo::Days(days),
            (Verb::Delete, undo, _) => undo,
        }
    }
}

/// What would happen to one secret.
pub(crate) async fn plan(backend: &Backend, name: &str, settings: Settings) -> Planned {
    let mut row = Row {
        reason: String::new(),
        ..Row::not_started(name)
    };
    match at_rest(backend, name, |description| settings.decide(description)).await {
        Ok((description, step)) => {
            row.before = Some(description.state);
            let undo = step.action.is_change().then(|| settings.undo(&description));
            Planned {
                row: row.planned(&step),
                undo,
            }
        }
        Err(error) => Planned {
            row: row.failed(&error),
            undo: None,
        },
    }
}

/// Does it.
pub(crate) async fn one(backend: &Backend, name: &str, settings: Settings) -> Row {
    let mut row = Row {
        reason: String::new(),
        ..Row::not_started(name)
    };
    let found = at_rest(backend, name, |description| settings.decide(description)).await;
    let (description, step) = match found {
        Ok(found) => found,
        Err(error) => return row.failed(&error),
    };
    row.before = Some(description.state);
    if !step.action.is_change() {
        row.after = row.before;
        return row.ended(&step);
    }
    let ended = match backend.life() {
        Err(error) => Err(error),
        Ok(life) => match step.action {
            Action::Purge => patiently(|| life.purge(name)).await,
            _ => patiently(|| life.delete(name, settings.days)).await,
        },
    };
    match ended {
        Ok(state) => {
            row.actions.push(step.action);
            row.after = Some(state);
            row.outcome = Outcome::Changed;
            row.because(&afterwards(&state))
        }
        Err(error) => row.failed(&error),
    }
}

fn afterwards(state: &State) -> String {
    match state {
        State::Missing => "it is gone for good".to_owned(),
        state => words::state(state),
    }
}

/// What is about to be lost, for the one who must agree.
pub(crate) fn warning(planned: &[Planned], verb: Verb, now: Timestamp) -> String {
    let mut table = Table::new(&["NAME", "STATE", "AFTERWARDS"]);
    for one in planned {
        let Some(undo) = one.undo else {
            continue;
        };
        table.row([one.row.name.clone(), cell(one.row.before), lost(undo, now)]);
    }
    let what = match verb {
        Verb::Delete => "deleted",
        Verb::Purge => "removed for good, with all their versions",
    };
    format!("These secrets will be {what}:\n\n{}\n", table.print())
}

fn lost(undo: Undo, now: Timestamp) -> String {
    match undo {
        Undo::Never => "UNRECOVERABLE at once".to_owned(),
        Undo::Open => "can be restored until it is purged".to_owned(),
        Undo::Days(days) => {
            let days = SignedDuration::from_hours(24 * i64::from(days));
            let until = now.checked_add(days).unwrap_or(Timestamp::MAX);
            format!(
                "can be restored until {}, UNRECOVERABLE after that",
                until.strftime("%Y-%m-%d")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warning_says_what_is_lost_and_until_when() {
        let planned = |name: &str, state, undo| Planned {
            row: Row {
                before: Some(state),
                ..Row::not_started(name)
            },
            undo,
        };
        let until = "2026-12-01T00:00:00Z".parse().ok();
        let all = [
            planned("app/days", State::Available, Some(Undo::Days(7))),
            planned("app/never", State::Available, Some(Undo::Never)),
            planned("app/open", State::Disabled, Some(Undo::Open)),
            planned(
                "app/gone",
                State::PendingDeletion { until },
                Some(Undo::Never),
            ),
            planned("app/left", State::Missing, None),
        ];
        let now = "2026-11-17T10:00:00Z".parse().unwrap();

        let deleted = warning(&all[..3], Verb::Delete, now);
        let purged = warning(&all[3..], Verb::Purge, now);

        insta::assert_snapshot!("deletion", deleted);
        insta::assert_snapshot!("purge", purged);
    }
}
