//! Runs a fetch list: every item through its store's connection, several at once, answers in the
//! order of the list. Decides nothing about what an answer means.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use lockstep_api::external_secret::GeneratorRef;
use lockstep_generators::{Random, WEBHOOK_KIND};
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::{FetchList, Payload, Read, Source};
use lockstep_provider::{Error, ErrorKind, Result, SharedStore};

use crate::connections::Connections;
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

/// Answers the items of `list` for an object of namespace `caller`.
pub async fn fetch<W: World>(
    list: &FetchList,
    caller: &str,
    world: &W,
    (stores, connections): (&dyn StoreSource, &Connections),
) -> Vec<Result<Payload>> {
    let mut reads: Vec<BoxFuture<'_, Result<Payload>>> = Vec::with_capacity(list.items.len());
    for item in &list.items {
        reads.push(match &item.source {
            Source::Store { key, read } => {
                Box::pin(answer(key, read, caller, (stores, connections)))
            }
            Source::Generator(reference) => {
                Box::pin(generate(reference, caller, world, connections))
            }
        });
    }
    stream::iter(reads).buffered(AT_ONCE).collect().await
}

async fn generate<W: World>(
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
    caller: &str,
    (stores, connections): (&dyn StoreSource, &Connections),
) -> Result<Payload> {
    let record = stores.record(key);
    let record = record.ok_or_else(|| Error::invalid_spec(format!("{key} is gone")))?;
    let store = connections.open(&record, Some(caller)).await?;
    match perform(read, &store).await {
        Err(error) if *error.kind() == ErrorKind::Unauthenticated => {
            // The credential may have been rotated since the connection was made: once more.
            connections.drop_store(key);
            let store = connections.open(&record, Some(caller)).await?;
            perform(read, &store).await
        }
        Err(error) if error.consequence().drops_connection => {
            connections.drop_store(key);
            Err(error)
        }
        answer => answer,
    }
}

async fn perform(read: &Read, store: &SharedStore) -> Result<Payload> {
    match read {
        Read::Value(reference) => store.get(reference).await.map(Payload::Value),
        Read::Map(reference) => store.get_map(reference).await.map(Payload::Map),
        Read::Find(find) => store.find(find).await.map(Payload::Map),
    }
}
