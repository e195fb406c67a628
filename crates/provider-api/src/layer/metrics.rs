//! Counts and times the calls of a store. Where the numbers go is the [`Meter`]'s affair; a call
//! that is dropped before it ends is not counted.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use jiff::Timestamp;

use super::{Call, Layer, Layered};
use crate::context::{StoreName, Time};
use crate::erased::{DynStore, SharedStore};
use crate::error::{Error, Result};
use crate::request::RemoteRef;
use crate::value::SecretValue;

/// Takes what was measured.
pub trait Meter: Send + Sync {
    /// One call has ended.
    fn observe(&self, observation: &Observation<'_>);
}

/// One call of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation<'a> {
    /// Whose call it was.
    pub store: &'a StoreName,
    /// Which one.
    pub call: Call,
    /// Why it failed: the cause word of its error; of a batch that of its first failure.
    pub cause: Option<&'static str>,
    /// How long it took.
    pub took: Duration,
}

struct Metrics {
    store: StoreName,
    meter: Arc<dyn Meter>,
    time: Arc<dyn Time>,
}

/// A store whose calls are measured under `name`.
pub fn metrics(
    store: SharedStore,
    name: StoreName,
    meter: Arc<dyn Meter>,
    time: Arc<dyn Time>,
) -> SharedStore {
    let layer = Metrics {
        store: name,
        meter,
        time,
    };
    Layered::share(store, layer)
}

impl Metrics {
    fn observe(&self, call: Call, since: Timestamp, failure: Option<&Error>) {
        let took = self.time.now().duration_since(since);
        self.meter.observe(&Observation {
            store: &self.store,
            call,
            cause: failure.map(|error| error.consequence().cause),
            took: Duration::try_from(took).unwrap_or_default(),
        });
    }
}

impl Layer for Metrics {
    async fn around<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        attempt: impl Fn() -> BoxFuture<'a, Result<T>> + Send + Sync + 'a,
    ) -> Result<T> {
        let since = self.time.now();
        let done = attempt().await;
        self.observe(call, since, done.as_ref().err());
        done
    }

    async fn around_many<'a>(
        &'a self,
        inner: &'a dyn DynStore,
        references: &'a [RemoteRef],
    ) -> Vec<Result<SecretValue>> {
        let since = self.time.now();
        let answers = inner.get_many(references).await;
        let failure = answers.iter().find_map(|answer| answer.as_ref().err());
        self.observe(Call::GetMany, since, failure);
        answers
    }
}
