//! The answers to a fetch list, one by one and together, and how much they may be.

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_plan::MOST_FETCHED_BYTES;
use lockstep_plan::external_secret::Payload;
use lockstep_provider_api::{Error, Result};
use lockstep_remote::{Answer, GroupKey, size_of};
use lockstep_scheduling::groups::Taken;

use crate::generator_states::Stored;

/// The answers to a list.
pub(in super::super) struct Fetched {
    /// What the plan gets, in the order of the list.
    pub(in super::super) answers: Vec<Result<Payload>>,
    /// Keeps the values counted as long as the reconcile has them.
    pub(in super::super) held: Vec<Arc<Answer>>,
    /// The shared reads they came from, where all of them can be shared.
    pub(in super::super) reads: Option<Vec<Taken<GroupKey>>>,
    /// The stored states of credentials that were made.
    pub(in super::super) states: Vec<Stored>,
    /// When the first of these credentials ends.
    pub(in super::super) expires: Option<Timestamp>,
}

/// The answer to one item.
pub(super) struct Item {
    pub(super) answer: Result<Payload>,
    pub(super) taken: Option<Taken<GroupKey>>,
    pub(super) held: Option<Arc<Answer>>,
    pub(super) stored: Option<Stored>,
    pub(super) expires: Option<Timestamp>,
}

impl Item {
    /// An answer that came from no shared read.
    pub(super) fn alone(answer: Result<Payload>) -> Self {
        Self {
            answer,
            taken: None,
            held: None,
            stored: None,
            expires: None,
        }
    }
}

impl FromIterator<Item> for Fetched {
    fn from_iter<T: IntoIterator<Item = Item>>(items: T) -> Self {
        let mut all = Self {
            answers: Vec::new(),
            held: Vec::new(),
            reads: Some(Vec::new()),
            states: Vec::new(),
            expires: None,
        };
        for one in items {
            all.answers.push(one.answer);
            all.held.extend(one.held);
            all.states.extend(one.stored);
            all.expires = all.expires.into_iter().chain(one.expires).min();
            all.reads = all.reads.zip(one.taken).map(|(mut reads, taken)| {
                reads.push(taken);
                reads
            });
        }
        all
    }
}

/// The answer, unless all answers together are too much to hold.
pub(super) fn within_bounds(one: Item, bytes: &mut usize) -> Item {
    *bytes = bytes.saturating_add(one.answer.as_ref().map_or(0, size_of));
    if *bytes <= MOST_FETCHED_BYTES || one.answer.is_err() {
        return one;
    }
    // The plan would refuse all of them together; they need not be kept until then.
    Item {
        stored: one.stored,
        ..Item::alone(Err(Error::invalid_data(format!(
            "the fetched values have more than {MOST_FETCHED_BYTES} bytes in all: fetch less, or \
             split it over several objects"
        ))))
    }
}
