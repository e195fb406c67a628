//! Ends calls that take too long. A call without an answer in time is `Unreachable`, and the server
//! it waited for is named.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, Either, select};

use super::{Call, Layer, Layered};
use crate::context::Time;
use crate::erased::SharedStore;
use crate::error::Result;
use crate::http::LastRequest;

struct Timeout {
    limit: Duration,
    time: Arc<dyn Time>,
    last: Arc<LastRequest>,
}

/// A store whose calls end after `limit`. Its requests are noted in `last`.
pub fn timeout(
    store: SharedStore,
    limit: Duration,
    time: Arc<dyn Time>,
    last: Arc<LastRequest>,
) -> SharedStore {
    Layered::share(store, Timeout { limit, time, last })
}

impl Layer for Timeout {
    async fn around<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        attempt: impl Fn() -> BoxFuture<'a, Result<T>> + Send + Sync + 'a,
    ) -> Result<T> {
        match select(attempt(), self.time.sleep(self.limit)).await {
            Either::Left((done, _)) => done,
            Either::Right(_) => Err(self.last.out_of_time(call, self.limit)),
        }
    }
}
