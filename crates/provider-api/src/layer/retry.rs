//! Repeats failed calls as the store's `retrySettings` say. Only outages and throttles are
//! repeated: whatever else fails, fails the same way again. A time the backend gives is waited
//! for; when it is long, the scheduler waits better than a call does.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{Call, Layer, Layered};
use crate::context::Time;
use crate::erased::{DynStore, SharedStore};
use crate::error::{Error, Result, Retry};
use crate::request::RemoteRef;
use crate::retry::RetrySettings;
use crate::value::SecretValue;

const DEFAULT_RETRIES: u32 = 3;
const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);
/// Longest time a call waits because the backend said so.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

struct Repeat {
    retries: u32,
    interval: Duration,
    time: Arc<dyn Time>,
}

/// A store that repeats failed calls: three times a second apart unless the settings say more.
pub fn retry(store: SharedStore, settings: RetrySettings, time: Arc<dyn Time>) -> SharedStore {
    let layer = Repeat {
        retries: settings.max_retries.unwrap_or(DEFAULT_RETRIES),
        interval: settings.interval.unwrap_or(DEFAULT_INTERVAL),
        time,
    };
    Layered::share(store, layer)
}

impl Repeat {
    /// How long to wait before the next try; `None` where another try makes no sense.
    fn delay(&self, error: &Error) -> Option<Duration> {
        match error.consequence().retry {
            Retry::Breaker | Retry::WhenTold => {}
            _ => return None,
        }
        let delay = error.retry_after().unwrap_or(self.interval);
        (error.retry_after().is_none() || delay <= LONGEST_WAIT).then_some(delay)
    }
}

impl Layer for Repeat {
    async fn around<'a, T: Send + 'a>(
        &'a self,
        _call: Call,
        attempt: impl Fn() -> BoxFuture<'a, Result<T>> + Send + Sync + 'a,
    ) -> Result<T> {
        for _ in 0..self.retries {
            let error = match attempt().await {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            let Some(delay) = self.delay(&error) else {
                return Err(error);
            };
            self.time.sleep(delay).await;
        }
        attempt().await
    }

    /// Reads again only what failed.
    async fn around_many<'a>(
        &'a self,
        inner: &'a dyn DynStore,
        references: &'a [RemoteRef],
    ) -> Vec<Result<SecretValue>> {
        let mut answers = inner.get_many(references).await;
        for _ in 0..self.retries {
            let open: Vec<(usize, Duration)> = answers
                .iter()
                .enumerate()
                .filter_map(|(at, answer)| Some((at, self.delay(answer.as_ref().err()?)?)))
                .collect();
            let Some(delay) = open.iter().map(|(_, delay)| *delay).max() else {
                break;
            };
            self.time.sleep(delay).await;
            let again: Vec<RemoteRef> = open
                .iter()
                .filter_map(|(at, _)| references.get(*at).cloned())
                .collect();
            let fresh = inner.get_many(&again).await;
            for ((at, _), answer) in open.into_iter().zip(fresh) {
                answers[at] = answer;
            }
        }
        answers
    }
}
