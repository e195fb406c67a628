//! Bounds how many calls of a store run at once. Those that wait do so in the order they came.

use async_lock::Semaphore;
use futures_util::future::BoxFuture;

use super::{Call, Layer, Layered};
use crate::erased::SharedStore;
use crate::error::Result;

struct Limit(Semaphore);

/// A store that runs at most `calls` calls at once, and at least one.
pub fn limit(store: SharedStore, calls: usize) -> SharedStore {
    Layered::share(store, Limit(Semaphore::new(calls.max(1))))
}

impl Layer for Limit {
    async fn around<'a, T: Send + 'a>(
        &'a self,
        _call: Call,
        attempt: impl Fn() -> BoxFuture<'a, Result<T>> + Send + Sync + 'a,
    ) -> Result<T> {
        let _permit = self.0.acquire().await;
        attempt().await
    }
}
