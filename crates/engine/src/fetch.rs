//! Runs a fetch list: every item through the shared reads or its generator, several at once, answers
//! in the order of the list. Decides nothing about what an answer means.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use jiff::Timestamp;
use lockstep_api::external_secret::GeneratorRef;
use lockstep_generators::{Random, WEBHOOK_KIND};
use lockstep_pace::groups::Taken;
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::{FetchList, Payload, Read, Source};
use lockstep_provider::{Error, Result};

use crate::connections::Connections;
use crate::reads::{GroupKey, Reads, Reply, Request};
use crate::remote_generator;
use crate::store_record::StoreRecord;
use crate::world::World;

/// Reads of one object that run at once.
const AT_ONCE: usize = 8;

/// Where the stores named in a list are found.
pub trait StoreSource: Send + Sync {
    /// The store as it is now.
    fn record(&self, key: &StoreKey) -> Option<Arc<StoreRecord>>;
}

/// For whom a list is fetched.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    /// Namespace of the object.
    pub namespace: &'a str,
    /// Answers to reads that began earlier do not count.
    pub asked: Timestamp,
}

/// The answer to one item.
pub struct Fetched {
    /// What the plan gets.
    pub answer: Result<Payload>,
    /// The shared read it came from; `None` where it cannot be shared.
    pub taken: Option<Taken<GroupKey>>,
}

impl Fetched {
    fn alone(answer: Result<Payload>) -> Self {
        Self {
            answer,
            taken: None,
        }
    }
}

/// Answers the items of `list`.
pub async fn fetch<W: World>(
    list: &FetchList,
    caller: Caller<'_>,
    world: &W,
    (stores, reads): (&dyn StoreSource, &Arc<Reads>),
) -> Vec<Fetched> {
    let mut items: Vec<BoxFuture<'_, Fetched>> = Vec::with_capacity(list.items.len());
    for item in &list.items {
        items.push(match &item.source {
            Source::Store { key, read } => Box::pin(answer(key, read, caller, (stores, reads))),
            Source::Generator(reference) => Box::pin(async move {
                let connections = reads.connections();
                let made = generate(reference, caller.namespace, world, connections).await;
                Fetched::alone(made)
            }),
        });
    }
    stream::iter(items).buffered(AT_ONCE).collect().await
}

/// Lets a generator make values for an object of namespace `caller`.
pub(crate) async fn generate<W: World>(
    reference: &GeneratorRef,
    caller: &str,
    world: &W,
    connections: &Connections,
) -> Result<Payload> {
    let failed = |error: Error| error.context("unable to get generator");
    let generator = world.generator(caller, reference).await.map_err(failed)?;
    if generator.kind == WEBHOOK_KIND {
        let named = (caller, reference.name.as_str());
        let made = remote_generator::generate(connections.services(), &generator.spec, named);
        return made.await.map(Payload::Map);
    }
    let made = lockstep_generators::generate(&generator.kind, &generator.spec, &mut SystemRandom);
    made.map(Payload::Map)
}

/// Random bytes of the operating system.
struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&mut self, bytes: &mut [u8]) {
        // The source is there on every system this runs on; without it no secret may be made.
        while getrandom::fill(bytes).is_err() {}
    }
}

async fn answer(
    key: &StoreKey,
    read: &Read,
    caller: Caller<'_>,
    (stores, reads): (&dyn StoreSource, &Arc<Reads>),
) -> Fetched {
    let Some(store) = stores.record(key) else {
        return Fetched::alone(Err(Error::invalid_spec(format!("{key} is gone"))));
    };
    let request = Request {
        store: &store,
        caller: caller.namespace,
        read,
        asked: caller.asked,
    };
    let Reply { answer, outcome } = match reads.read(request).await {
        Ok(reply) => reply,
        Err(error) => return Fetched::alone(Err(error)),
    };
    Fetched {
        answer: outcome,
        taken: answer.telling.then(|| Taken {
            group: GroupKey::clone(&answer.group),
            fingerprint: answer.fingerprint,
            read_at: answer.read_at,
        }),
    }
}
