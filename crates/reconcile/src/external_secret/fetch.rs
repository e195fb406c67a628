//! Runs a fetch list: every item through the shared reads or its generator, several at once, answers
//! in the order of the list. Decides nothing about what an answer means.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_generators::{Maker, lookup};
use lockstep_plan::external_secret::{FetchList, Payload, Read, Source, SpecEntry, is_absent};
use lockstep_plan::generator_state::StateOwner;
use lockstep_plan::{MOST_FETCHED_BYTES, StoreKey, StoreLookup};
use lockstep_provider_api::{Error, Result, SecretMap};
use lockstep_remote::{Answer, GroupKey, ReadReply, ReadRequest, RemoteClient, size_of};
use lockstep_scheduling::groups::Taken;

use crate::generator_states::{self, For, Stored};
use crate::generators;
use crate::world::{Generator, World};

/// Reads of one object that run at once.
const AT_ONCE: usize = 8;

/// For whom a list is fetched.
#[derive(Clone, Copy)]
pub(super) struct Caller<'a> {
    /// The object.
    pub(super) object: &'a ExternalSecret,
    /// Answers to reads that began earlier do not count.
    pub(super) asked: Timestamp,
    /// Whether states are kept for credentials that generators make.
    pub(super) keeps_states: bool,
}

impl Caller<'_> {
    fn namespace(&self) -> &str {
        self.object
            .metadata
            .namespace
            .as_deref()
            .unwrap_or_default()
    }
}

/// The answer to one item.
pub(super) struct Fetched {
    /// What the plan gets.
    pub(super) answer: Result<Payload>,
    /// The shared read it came from; `None` where it cannot be shared.
    pub(super) taken: Option<Taken<GroupKey>>,
    /// Keeps the values counted as long as the run has them.
    pub(super) held: Option<Arc<Answer>>,
    /// The stored state of a credential that was made.
    pub(super) stored: Option<Stored>,
    /// When a credential that was made ends.
    pub(super) expires: Option<Timestamp>,
}

impl Fetched {
    fn alone(answer: Result<Payload>) -> Self {
        Self {
            answer,
            taken: None,
            held: None,
            stored: None,
            expires: None,
        }
    }
}

/// An item of a list with all that is needed to answer it.
pub(super) enum Prepared<'a> {
    /// A store is read.
    Read(&'a StoreKey, &'a Read),
    /// The generator of that name makes it.
    Make(&'a str, Result<Generator>),
}

impl Prepared<'_> {
    /// Whether a generator is to make it that names another controller class. One that could not be
    /// read says nothing.
    pub(super) fn is_foreign_to(&self, class: &str) -> bool {
        matches!(self, Self::Make(_, Ok(generator)) if generator.is_foreign_to(class))
    }

    /// Whether what a generator makes must be taken back.
    fn keeps_state(&self) -> bool {
        let Self::Make(_, Ok(generator)) = self else {
            return false;
        };
        let entry = lookup(&generator.kind).map(lockstep_provider_api::GeneratorEntry::maker);
        matches!(entry, Ok(Maker::Remote(maker)) if maker.keeps_state())
    }
}

/// Reads the generators that `list` names, for an object of `namespace`.
pub(super) async fn prepare<'a, W: World>(
    list: &'a FetchList,
    namespace: &str,
    world: &W,
) -> Vec<Prepared<'a>> {
    let mut prepared = Vec::with_capacity(list.items.len());
    for item in &list.items {
        prepared.push(match &item.source {
            Source::Store { key, read } => Prepared::Read(key, read),
            Source::Generator(reference) => {
                let read = generators::read(reference, namespace, world).await;
                Prepared::Make(&reference.name, read)
            }
        });
    }
    prepared
}

/// Answers prepared items: stores are read first, and generators run only when no read failed, so that
/// a failing store does not have credentials made and taken back at every try.
pub(super) async fn fetch<W: World>(
    (list, prepared): (&FetchList, Vec<Prepared<'_>>),
    caller: Caller<'_>,
    (world, stores, reads): (&W, &dyn StoreLookup, &Arc<RemoteClient>),
) -> Vec<Fetched> {
    let mut all: Vec<Option<Fetched>> = prepared.iter().map(|_| None).collect();
    let mut items: Vec<BoxFuture<'_, (usize, Fetched)>> = Vec::new();
    for (at, item) in prepared.iter().enumerate() {
        if let Prepared::Read(key, read) = item {
            items.push(Box::pin(async move {
                (at, answer(key, read, caller, (stores, reads)).await)
            }));
        }
    }
    let mut answers = stream::iter(items).buffered(AT_ONCE);
    let (mut bytes, mut failed) = (0usize, false);
    while let Some((at, one)) = answers.next().await {
        let one = within_bounds(one, &mut bytes);
        failed |= matches!(&one.answer, Err(error) if !is_absent(caller.object, error));
        all[at] = Some(one);
    }
    // What must be taken back is made last: whatever fails before costs no credential.
    let mut makes: Vec<usize> = (0..prepared.len())
        .filter(|at| all[*at].is_none())
        .collect();
    makes.sort_by_key(|at| prepared[*at].keeps_state());
    for at in makes {
        let Prepared::Make(name, generator) = &prepared[at] else {
            continue;
        };
        let made = if failed {
            // The run fails for another entry, whose error is the one to tell.
            Fetched::alone(Ok(Payload::Map(SecretMap::new())))
        } else {
            let key = state_key(list, at);
            let one = made(generator, name, (caller, &key), (world, reads)).await;
            within_bounds(one, &mut bytes)
        };
        failed |= made.answer.is_err();
        all[at] = Some(made);
    }
    all.into_iter().flatten().collect()
}

/// The key that states of an item's entry are found by.
fn state_key(list: &FetchList, at: usize) -> String {
    match list.items.get(at).map(|item| item.entry) {
        Some(SpecEntry::DataFrom(entry) | SpecEntry::Data(entry)) => entry.to_string(),
        None => String::new(),
    }
}

async fn made<W: World>(
    generator: &Result<Generator>,
    name: &str,
    (caller, key): (Caller<'_>, &str),
    (world, reads): (&W, &Arc<RemoteClient>),
) -> Fetched {
    let generator = match generator {
        Ok(generator) => generator,
        Err(error) => return Fetched::alone(Err(error.duplicate())),
    };
    let wanted = For {
        owner: StateOwner {
            api_version: ExternalSecret::API_VERSION,
            kind: ExternalSecret::KIND,
            metadata: &caller.object.metadata,
        },
        key,
        keeps_states: caller.keeps_states,
    };
    match generator_states::make(generator, name, wanted, (world, reads)).await {
        Ok(made) => Fetched {
            stored: made.stored,
            expires: made.expires,
            ..Fetched::alone(Ok(Payload::Map(made.values)))
        },
        Err(error) => Fetched::alone(Err(error)),
    }
}

/// The answer, unless all answers together are too much to hold.
fn within_bounds(one: Fetched, bytes: &mut usize) -> Fetched {
    *bytes = bytes.saturating_add(one.answer.as_ref().map_or(0, size_of));
    if *bytes <= MOST_FETCHED_BYTES || one.answer.is_err() {
        return one;
    }
    // The plan would refuse all of them together; they need not be kept until then.
    Fetched {
        stored: one.stored,
        ..Fetched::alone(Err(Error::invalid_data(format!(
            "the fetched values have more than {MOST_FETCHED_BYTES} bytes in all: fetch less, or \
             split it over several objects"
        ))))
    }
}

async fn answer(
    key: &StoreKey,
    read: &Read,
    caller: Caller<'_>,
    (stores, reads): (&dyn StoreLookup, &Arc<RemoteClient>),
) -> Fetched {
    let Some(store) = stores.record(key) else {
        return Fetched::alone(Err(Error::invalid_spec(format!("{key} is gone"))));
    };
    let request = ReadRequest {
        store: &store,
        caller: caller.namespace(),
        object: caller.object.metadata.name.as_deref(),
        read,
        asked: caller.asked,
    };
    let ReadReply { answer, outcome } = match reads.read(request).await {
        Ok(reply) => reply,
        Err(error) => return Fetched::alone(Err(error)),
    };
    Fetched {
        answer: outcome,
        taken: answer.conclusive.then(|| Taken {
            group: GroupKey::clone(&answer.group),
            fingerprint: answer.fingerprint,
            read_at: answer.read_at,
        }),
        held: Some(answer),
        stored: None,
        expires: None,
    }
}
