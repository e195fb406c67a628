//! Ends calls that take too long. A call without an answer in time is `Unreachable`.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, Either, select};

use super::{Call, Layer, Layered};
use crate::context::Time;
use crate::erased::SharedStore;
use crate::error::{Error, Result};

struct Timeout {
    limit: Duration,
    time: Arc<dyn Time>,
}

/// A store whose calls end after `limit`.
pub fn timeout(store: SharedStore, limit: Duration, time: Arc<dyn Time>) -> SharedStore {
    Layered::share(store, Timeout { limit, time })
}

impl Layer for Timeout {
    async fn around<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        attempt: impl Fn() -> BoxFuture<'a, Result<T>> + Send + Sync + 'a,
    ) -> Result<T> {
        match select(attempt(), self.time.sleep(self.limit)).await {
            Either::Left((done, _)) => done,
            Either::Right(_) => Err(Error::unreachable(format!(
                "{call}: no answer within {:?}",
                self.limit
            ))),
        }
    }
}
