//! Runs a fetch list: every item through the shared reads or its generator, several at once, answers
//! in the order of the list. Decides nothing about what an answer means.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use jiff::Timestamp;
use lockstep_plan::external_secret::{FetchList, Payload, Read, Source};
use lockstep_plan::{MOST_FETCHED_BYTES, StoreKey};
use lockstep_provider_api::{Error, Result, SecretMap};
use lockstep_remote::{Answer, GroupKey, ReadRequest, RemoteClient, Reply, StoreRecord, size_of};
use lockstep_scheduling::groups::Taken;

use crate::generators;
use crate::world::{Generator, World};

/// Reads of one object that run at once.
const AT_ONCE: usize = 8;

/// Where the stores named in a list are found.
pub trait StoreSource: Send + Sync {
    /// The store as it is now.
    fn record(&self, key: &StoreKey) -> Option<Arc<StoreRecord>>;
}

/// For whom a list is fetched.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    /// Namespace of the object.
    pub(crate) namespace: &'a str,
    /// Its name, where it is an ExternalSecret.
    pub(crate) object: Option<&'a str>,
    /// Answers to reads that began earlier do not count.
    pub(crate) asked: Timestamp,
}

/// The answer to one item.
pub(crate) struct Fetched {
    /// What the plan gets.
    pub(crate) answer: Result<Payload>,
    /// The shared read it came from; `None` where it cannot be shared.
    pub(crate) taken: Option<Taken<GroupKey>>,
    /// Keeps the values counted as long as the run has them.
    pub(crate) held: Option<Arc<Answer>>,
}

impl Fetched {
    fn alone(answer: Result<Payload>) -> Self {
        Self {
            answer,
            taken: None,
            held: None,
        }
    }
}

/// An item of a list with all that is needed to answer it.
pub(crate) enum Prepared<'a> {
    /// A store is read.
    Read(&'a StoreKey, &'a Read),
    /// The generator of that name makes it.
    Make(&'a str, Result<Generator>),
}

impl Prepared<'_> {
    /// Whether a generator is to make it that names another controller class. One that could not be
    /// read says nothing.
    pub(crate) fn is_foreign_to(&self, class: &str) -> bool {
        matches!(self, Self::Make(_, Ok(generator)) if generator.is_foreign_to(class))
    }
}

/// Reads the generators that `list` names, for an object of `namespace`.
pub(crate) async fn prepare<'a, W: World>(
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

/// Answers prepared items.
pub(crate) async fn fetch(
    prepared: Vec<Prepared<'_>>,
    caller: Caller<'_>,
    (stores, reads): (&dyn StoreSource, &Arc<RemoteClient>),
) -> Vec<Fetched> {
    let mut items: Vec<BoxFuture<'_, Fetched>> = Vec::with_capacity(prepared.len());
    for item in prepared {
        items.push(match item {
            Prepared::Read(key, read) => Box::pin(answer(key, read, caller, (stores, reads))),
            Prepared::Make(name, generator) => Box::pin(async move {
                let named = (caller.namespace, name);
                let made = match generator {
                    Ok(Generator { kind, spec }) => reads.generate((&kind, &spec), named).await,
                    Err(error) => Err(error),
                };
                Fetched::alone(made.map(Payload::Map))
            }),
        });
    }
    let mut answers = stream::iter(items).buffered(AT_ONCE);
    let (mut all, mut bytes) = (Vec::new(), 0usize);
    while let Some(mut one) = answers.next().await {
        bytes = bytes.saturating_add(one.answer.as_ref().map_or(0, size_of));
        if bytes > MOST_FETCHED_BYTES && one.answer.is_ok() {
            // The plan would refuse all of them together; they need not be kept until then.
            one = Fetched::alone(Err(Error::invalid_data(format!(
                "the fetched values have more than {MOST_FETCHED_BYTES} bytes in all: fetch less, or \
                 split it over several objects"
            ))));
        }
        all.push(one);
    }
    all
}

async fn answer(
    key: &StoreKey,
    read: &Read,
    caller: Caller<'_>,
    (stores, reads): (&dyn StoreSource, &Arc<RemoteClient>),
) -> Fetched {
    let Some(store) = stores.record(key) else {
        return Fetched::alone(Err(Error::invalid_spec(format!("{key} is gone"))));
    };
    let request = ReadRequest {
        store: &store,
        caller: caller.namespace,
        object: caller.object,
        read,
        asked: caller.asked,
    };
    let Reply { answer, outcome } = match reads.read(request).await {
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
    }
}

/// An object that templates take their texts from, unless all of them together are too much to hold.
pub(crate) fn counted(
    read: std::result::Result<SecretMap, String>,
    bytes: &mut usize,
) -> std::result::Result<SecretMap, String> {
    let data = read?;
    *bytes = data
        .iter()
        .fold(*bytes, |sum, (_, value)| sum + value.len());
    if *bytes > MOST_FETCHED_BYTES {
        return Err(format!(
            "the objects of templateFrom have more than {MOST_FETCHED_BYTES} bytes in all: name fewer"
        ));
    }
    Ok(data)
}
