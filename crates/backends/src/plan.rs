//! What is to be done with one secret, and why. Every rule of every verb is here, as pure functions
//! of what was observed; nothing here asks a backend or looks at a value.

use lockstep_provider_api::lifecycle::{Description, Owner, Purging, Shape, State, Undo, Writing};

use crate::content::Difference;
use crate::words;

/// One thing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Nothing: it is as it should be.
    Nothing,
    /// Write the first version.
    Create,
    /// Write over the present value.
    Update,
    /// Write a version past one that cannot be read.
    NewVersion,
    /// Bring it back.
    Restore,
    /// Mark it as managed.
    Adopt,
    /// Set its tags and leave its value.
    Tag,
    /// Delete it so that it can be restored, where that is possible.
    Delete,
    /// Remove it for good.
    Purge,
    /// Look again a moment later.
    Wait,
    /// Leave it, because of the reason.
    Refuse,
}

impl Action {
    /// Whether it changes something.
    pub(crate) const fn is_change(self) -> bool {
        !matches!(self, Self::Nothing | Self::Wait | Self::Refuse)
    }

    /// What was done, for people.
    pub(crate) const fn done(self) -> &'static str {
        match self {
            Self::Nothing => "unchanged",
            Self::Create => "created",
            Self::Update | Self::NewVersion => "updated",
            Self::Restore => "restored",
            Self::Adopt => "adopted",
            Self::Tag => "tagged",
            Self::Delete => "deleted",
            Self::Purge => "purged",
            Self::Wait => "waited for",
            Self::Refuse => "refused",
        }
    }

    /// What is going to be done, for people and programs.
    pub(crate) const fn planned(self) -> &'static str {
        match self {
            Self::Nothing => "leave",
            Self::Create => "create",
            Self::Update => "update",
            Self::NewVersion => "write a version",
            Self::Restore => "restore",
            Self::Adopt => "adopt",
            Self::Tag => "tag",
            Self::Delete => "delete",
            Self::Purge => "purge",
            Self::Wait => "wait",
            Self::Refuse => "refuse",
        }
    }
}

/// An action and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) action: Action,
    pub(crate) reason: String,
}

impl Step {
    pub(crate) fn new(action: Action, reason: impl Into<String>) -> Self {
        Self {
            action,
            reason: reason.into(),
        }
    }
}

/// A switch of the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Switch {
    #[default]
    Off,
    On,
}

impl From<bool> for Switch {
    fn from(given: bool) -> Self {
        if given { Self::On } else { Self::Off }
    }
}

/// What `apply` knows of one entry.
#[derive(Clone, Debug)]
pub(crate) struct Applied<'a> {
    pub(crate) description: &'a Description,
    /// How the present value differs; `None` where it cannot be read.
    pub(crate) difference: Option<&'a Result<Difference, String>>,
    /// Names of the tags that differ.
    pub(crate) tags: &'a [String],
    /// Whether what is stored now decides what will be stored.
    pub(crate) needs_current: bool,
    /// Whether the value is known to be no JSON object.
    pub(crate) is_plain: bool,
    pub(crate) shape: Shape,
    /// Whether deleted secrets are restored.
    pub(crate) restore: Switch,
    /// Whether somebody else's secrets are taken over.
    pub(crate) adopt: Switch,
}

/// The next step of `apply`.
pub(crate) fn apply(seen: &Applied<'_>) -> Step {
    if seen.shape == Shape::Object && seen.is_plain {
        return Step::new(
            Action::Refuse,
            "this backend keeps fields only; give fields, or a value that is a JSON object",
        );
    }
    let description = seen.description;
    match description.state {
        State::Missing => Step::new(Action::Create, "not there"),
        State::Changing => Step::new(Action::Wait, words::state(&description.state)),
        State::Available => apply_to_available(seen),
        _ if description.writing == Writing::AfterRestore => restored(seen),
        State::Destroyed | State::NoVersion => written_past(seen),
        State::Expired | State::NotYetValid if seen.needs_current => Step::new(
            Action::Refuse,
            format!(
                "{}, and its present value is needed to keep fields or generated values; give every \
                 field and set extraFields: remove",
                words::state(&description.state)
            ),
        ),
        // Only where the present value decides must it become readable: it may be off on purpose.
        _ if seen.needs_current => restored(seen),
        _ => written_past(seen),
    }
}

fn apply_to_available(seen: &Applied<'_>) -> Step {
    let difference = match seen.difference {
        Some(Ok(difference)) => difference,
        Some(Err(reason)) => return Step::new(Action::Refuse, reason),
        None => return Step::new(Action::Refuse, "its value could not be read"),
    };
    let (action, reason) = match (difference.is_none(), seen.tags) {
        (true, []) => return Step::new(Action::Nothing, "the value is the desired one"),
        (true, tags) => (Action::Tag, words::tags(tags)),
        (false, []) => (Action::Update, words::difference(difference)),
        (false, tags) => {
            let both = format!("{}; {}", words::difference(difference), words::tags(tags));
            (Action::Update, both)
        }
    };
    taken_over(seen).unwrap_or_else(|| Step::new(action, reason))
}

fn restored(seen: &Applied<'_>) -> Step {
    let state = words::state(&seen.description.state);
    if seen.restore == Switch::Off {
        return Step::new(
            Action::Refuse,
            format!("{state}, and --no-restore forbids to bring it back"),
        );
    }
    Step::new(Action::Restore, state)
}

fn written_past(seen: &Applied<'_>) -> Step {
    if let Some(step) = taken_over(seen) {
        return step;
    }
    Step::new(Action::NewVersion, words::state(&seen.description.state))
}

/// The step before a write to somebody else's secret.
fn taken_over(seen: &Applied<'_>) -> Option<Step> {
    let foreign = "not marked as managed";
    match (seen.description.owner, seen.adopt) {
        (Owner::Foreign, Switch::Off) => Some(Step::new(
            Action::Refuse,
            format!("{foreign}; take it over with --adopt"),
        )),
        (Owner::Foreign, Switch::On) => Some(Step::new(Action::Adopt, foreign)),
        _ => None,
    }
}

/// The next step of `delete`; `unmanaged` allows to delete what is not marked as managed.
pub(crate) fn delete(seen: &Description, unmanaged: Switch) -> Step {
    let state = words::state(&seen.state);
    match seen.state {
        State::Missing => Step::new(Action::Nothing, "not there"),
        State::Changing => Step::new(Action::Wait, state),
        State::PendingDeletion { .. } | State::PurgeBlocked { .. } if seen.readable == Some(0) => {
            Step::new(Action::Nothing, state)
        }
        // Where a deletion makes versions unreadable, there is nothing left to do.
        _ if seen.undo == Undo::Open && seen.readable == Some(0) => Step::new(
            Action::Nothing,
            format!("{state}, and no version can be read"),
        ),
        _ => guarded(seen, unmanaged)
            .unwrap_or_else(|| Step::new(Action::Delete, words::undo(seen.undo))),
    }
}

/// The next step of `restore`.
pub(crate) fn restore(seen: &Description) -> Step {
    let state = words::state(&seen.state);
    match seen.state {
        State::Available => Step::new(Action::Nothing, state),
        State::Changing => Step::new(Action::Wait, state),
        State::Disabled | State::PendingDeletion { .. } | State::PurgeBlocked { .. } => {
            Step::new(Action::Restore, state)
        }
        State::Missing => Step::new(
            Action::Refuse,
            "not there: it never was, or it is gone for good",
        ),
        State::Destroyed => Step::new(
            Action::Refuse,
            format!("{state}; `backends apply` writes a new version"),
        ),
        _ => Step::new(
            Action::Refuse,
            format!("{state}; `backends apply` writes a value"),
        ),
    }
}

/// The next step of `purge`.
pub(crate) fn purge(seen: &Description, unmanaged: Switch) -> Step {
    let state = words::state(&seen.state);
    match seen.state {
        State::Missing => Step::new(Action::Nothing, "not there"),
        State::Changing => Step::new(Action::Wait, state),
        State::PurgeBlocked { .. } => Step::new(
            Action::Refuse,
            format!("{state}; purge protection forbids to purge it before"),
        ),
        _ if seen.purging == Purging::Blocked => Step::new(
            Action::Refuse,
            "purge protection of the backend forbids it; delete it, and the backend removes it when \
             its time is over",
        ),
        _ => guarded(seen, unmanaged)
            .unwrap_or_else(|| Step::new(Action::Purge, "cannot be restored from then on")),
    }
}

/// The refusal to end what is not marked as managed.
fn guarded(seen: &Description, unmanaged: Switch) -> Option<Step> {
    (seen.owner == Owner::Foreign && unmanaged == Switch::Off).then(|| {
        Step::new(
            Action::Refuse,
            "not marked as managed; --unmanaged includes such secrets",
        )
    })
}

#[cfg(test)]
mod tests;
