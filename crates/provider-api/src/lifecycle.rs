//! The life of secrets at a backend, beside their values: what is deleted but recoverable, disabled,
//! destroyed, and how that is undone. An optional part of a connected store, for commands that people
//! run. The operator never restores or purges anything.

use std::collections::BTreeMap;

use futures_util::future::BoxFuture;
use jiff::Timestamp;

use crate::error::Result;
use crate::request::{PushItem, Pushed};

/// State of a secret: that of its newest version where a backend keeps versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// It can be read.
    Available,
    /// There is no such secret; the name is free.
    Missing,
    /// The secret is there without any version.
    NoVersion,
    /// It was switched off.
    Disabled,
    /// Its time is over.
    Expired,
    /// Its time has not come.
    NotYetValid,
    /// It was deleted and can be restored until then; without a time until it is purged.
    PendingDeletion {
        /// When the backend removes it for good.
        until: Option<Timestamp>,
    },
    /// It was deleted, can be restored, and cannot be purged before that time.
    PurgeBlocked {
        /// When the backend removes it for good.
        until: Option<Timestamp>,
    },
    /// The value of its newest version is gone for good; the name can be written again.
    Destroyed,
    /// The backend is still deleting, restoring or purging it.
    Changing,
}

impl State {
    /// Its stable word, for tables and programs.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Available => "Available",
            Self::Missing => "Missing",
            Self::NoVersion => "NoVersion",
            Self::Disabled => "Disabled",
            Self::Expired => "Expired",
            Self::NotYetValid => "NotYetValid",
            Self::PendingDeletion { .. } => "PendingDeletion",
            Self::PurgeBlocked { .. } => "PurgeBlocked",
            Self::Destroyed => "Destroyed",
            Self::Changing => "Changing",
        }
    }

    /// When the state ends by itself, where it does.
    pub const fn until(&self) -> Option<Timestamp> {
        match self {
            Self::PendingDeletion { until } | Self::PurgeBlocked { until } => *until,
            _ => None,
        }
    }
}

/// Whether a secret carries the mark of what is managed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// It does.
    Ours,
    /// It does not: somebody else looks after it.
    Foreign,
    /// There is nothing that could carry it, or it cannot be seen in this state.
    Unknown,
}

/// How a deletion of a secret can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undo {
    /// For this many days.
    Days(u32),
    /// Until it is purged.
    Open,
    /// Not at all.
    Never,
}

/// What a write needs from a secret in its present state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// A new version can be written as things are.
    Direct,
    /// It must be restored first.
    AfterRestore,
}

/// Whether a secret can be purged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purging {
    /// It can.
    Allowed,
    /// A protection of the backend forbids it until the recovery time is over.
    Blocked,
}

/// What is known of a secret without its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// Its state.
    pub state: State,
    /// Whose it is.
    pub owner: Owner,
    /// Number of versions that can be read; `None` where the backend does not tell.
    pub readable: Option<u64>,
    /// What a deletion of it would mean.
    pub undo: Undo,
    /// What a write needs.
    pub writing: Writing,
    /// Whether it can be purged.
    pub purging: Purging,
}

impl Description {
    /// A name that nothing has.
    pub const fn missing(undo: Undo) -> Self {
        Self {
            state: State::Missing,
            owner: Owner::Unknown,
            readable: Some(0),
            undo,
            writing: Writing::Direct,
            purging: Purging::Allowed,
        }
    }
}

/// Which values a backend keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Any text or bytes.
    Any,
    /// A JSON object only.
    Object,
}

/// What becomes of tags that a secret has and a push does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherTags {
    /// They go, as the original operator has it.
    Remove,
    /// They stay: somebody else set them.
    Keep,
}

/// Names of the wanted tags that are missing or have another value.
pub fn differing(
    present: &BTreeMap<String, String>,
    wanted: &BTreeMap<String, String>,
) -> Vec<String> {
    let differing = wanted
        .iter()
        .filter(|(name, value)| present.get(*name) != Some(*value));
    differing.map(|(name, _)| name.clone()).collect()
}

/// What is true of every secret of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend {
    /// Its name for people.
    pub name: &'static str,
    /// What it keeps.
    pub shape: Shape,
    /// Fewest and most days that a deletion may be asked to stay undoable; `None` where that cannot
    /// be chosen.
    pub window: Option<(u32, u32)>,
}

/// The life of the secrets of a connected store. Every operation may be repeated: what is done
/// already succeeds. Keys are those that reads and pushes use.
pub trait Lifecycle: Send + Sync {
    /// What is true of every secret.
    fn backend(&self) -> Backend;

    /// What is known of a secret. Never an error because it is missing or deleted.
    fn describe<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Description>>;

    /// Keys below a prefix, those of deleted secrets included. Pages to the end.
    fn list<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<String>>>;

    /// Writes a value as a push does, also over a version that cannot be read. A value whose push
    /// says nothing about its form is kept in the form that suits secrets best. Tags that the push does
    /// not name stay.
    fn put<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<Pushed>>;

    /// Names of the tags, labels or custom metadata that the push names in its metadata and the secret
    /// lacks or has with another value. The secret can be read.
    fn differing_tags<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<Vec<String>>>;

    /// Sets the tags that the push names. The value and every other tag stay as they are.
    fn set_tags<'a>(&'a self, item: &'a PushItem) -> BoxFuture<'a, Result<()>>;

    /// Marks somebody else's secret as managed.
    fn adopt<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Deletes a secret so that it can be restored, where the backend can do that; `days` says for
    /// how long. Hands back the state that follows.
    fn delete<'a>(&'a self, key: &'a str, days: Option<u32>) -> BoxFuture<'a, Result<State>>;

    /// Brings a secret back: recovers it, or makes its newest version readable again.
    fn restore<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<State>>;

    /// Removes a secret with all its versions for good, deleting it first where it must be.
    fn purge<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<State>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_deleted_secrets_have_an_end() {
        let until = Timestamp::from_second(1_800_000_000).ok();

        assert_eq!(State::PendingDeletion { until }.until(), until);
        assert_eq!(State::PurgeBlocked { until }.until(), until);
        assert_eq!(State::Destroyed.until(), None);
    }

    #[test]
    fn only_wanted_tags_that_are_missing_or_different_differ() {
        let tags = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter();
            pairs
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect::<BTreeMap<_, _>>()
        };
        let present = tags(&[("same", "1"), ("old", "1"), ("foreign", "1")]);
        let wanted = tags(&[("same", "1"), ("old", "2"), ("new", "1")]);

        assert_eq!(differing(&present, &wanted), ["new", "old"]);
    }

    #[test]
    fn nothing_that_is_missing_is_somebodys() {
        let missing = Description::missing(Undo::Never);

        assert_eq!(missing.owner, Owner::Unknown);
        assert_eq!(missing.writing, Writing::Direct);
    }
}
