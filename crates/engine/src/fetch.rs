//! Runs a fetch list: every item through its store's connection, several at once, answers in the
//! order of the list. Decides nothing about what an answer means.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::{FetchItem, FetchList, Payload, Read, Source};
use lockstep_provider::{Error, ErrorKind, Result, SharedStore};

use crate::connections::Connections;
use crate::store_record::StoreRecord;

/// Reads of one object that run at once.
const AT_ONCE: usize = 8;

/// Where the stores named in a list are found.
pub trait StoreSource: Send + Sync {
    /// The store as it is now.
    fn record(&self, key: &StoreKey) -> Option<Arc<StoreRecord>>;
}

/// Answers the items of `list` for an object of namespace `caller`.
pub async fn fetch(
    list: &FetchList,
    caller: &str,
    stores: &dyn StoreSource,
    connections: &Connections,
) -> Vec<Result<Payload>> {
    let mut reads: Vec<BoxFuture<'_, Result<Payload>>> = Vec::with_capacity(list.items.len());
    for item in &list.items {
        reads.push(Box::pin(answer(item, caller, stores, connections)));
    }
    stream::iter(reads).buffered(AT_ONCE).collect().await
}

async fn answer(
    item: &FetchItem,
    caller: &str,
    stores: &dyn StoreSource,
    connections: &Connections,
) -> Result<Payload> {
    let (key, read) = match &item.source {
        Source::Store { key, read } => (key, read),
        Source::Generator(generator) => {
            let kind = &generator.kind;
            let text = format!("unable to get generator: kind {kind} is not in this build");
            return Err(Error::unsupported(text));
        }
    };
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
