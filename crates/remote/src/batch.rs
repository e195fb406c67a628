//! Batches the single reads of one connection, for backends that read many values in one request. While
//! no batch is under way, a new one collects reads for a short time, or a longer one if a batch was sent
//! a moment ago; otherwise it collects until the batch under way returns. A full batch is sent at once.
//! Whoever waits drives its batch, so a caller that is cut off delays nobody.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either, Shared, select};
use jiff::{SignedDuration, Timestamp};
use lockstep_provider_api::context::Time;
use lockstep_provider_api::lifecycle::Lifecycle;
use lockstep_provider_api::store::Check;
use lockstep_provider_api::{
    Error, ErrorKind, Find, Payload, PushItem, PushTarget, Pushed, Read, RemoteRef, Result,
    SecretMap, SecretValue, SharedStore, Store,
};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// How long reads are collected when nothing is under way.
const WINDOW: Duration = Duration::from_millis(5);
/// The same after a batch that went out within the last second: there is more to come.
const BUSY_WINDOW: Duration = Duration::from_millis(100);
const RECENT: SignedDuration = SignedDuration::from_secs(1);
/// Longest time to collect behind a batch that does not return.
const PATIENCE: Duration = Duration::from_secs(1);

/// Wraps a store so that its single reads are sent together, at most `size` in one request.
pub(crate) fn batched(inner: SharedStore, size: usize, time: Arc<dyn Time>) -> SharedStore {
    Arc::new(Batched::new(inner, size, time))
}

struct Batched {
    inner: SharedStore,
    size: usize,
    time: Arc<dyn Time>,
    /// The batch that still collects reads. A batch that was sent is held only by its callers, so that
    /// its values are wiped when the last of them has taken them.
    open: Arc<Mutex<Option<Batch>>>,
    /// Held by the batch that is under way.
    under_way: Arc<Semaphore>,
    /// When the last batch went out.
    last: Arc<Mutex<Option<Timestamp>>>,
}

type Answers = Arc<Vec<Result<SecretValue>>>;

#[derive(Clone)]
struct Batch {
    asked: Arc<Asked>,
    answers: Shared<BoxFuture<'static, Answers>>,
}

/// What a batch asks for.
struct Asked {
    /// `None` once it has gone out.
    references: Mutex<Option<Vec<RemoteRef>>>,
    full: Notify,
}

impl Batched {
    fn new(inner: SharedStore, size: usize, time: Arc<dyn Time>) -> Self {
        Self {
            inner,
            size,
            time,
            open: Arc::default(),
            under_way: Arc::new(Semaphore::new(1)),
            last: Arc::default(),
        }
    }

    /// Puts a reference into a batch. Returns the batch and the index of its answer.
    fn join(&self, reference: &RemoteRef) -> (Batch, usize) {
        let mut open = self.open.lock();
        if let Some(batch) = open.as_ref()
            && let Some(place) = batch.asked.add(reference, self.size)
        {
            return (batch.clone(), place);
        }
        let batch = self.begin(reference.clone());
        *open = Some(batch.clone());
        (batch, 0)
    }

    fn begin(&self, first: RemoteRef) -> Batch {
        let asked = Arc::new(Asked {
            references: Mutex::new(Some(vec![first])),
            full: Notify::new(),
        });
        let (inner, time) = (Arc::clone(&self.inner), Arc::clone(&self.time));
        let (own, under_way, last) = (
            Arc::clone(&asked),
            Arc::clone(&self.under_way),
            Arc::clone(&self.last),
        );
        let (window, open) = (self.window(), Arc::clone(&self.open));
        let read = async move {
            let permit = own.collect(under_way, &*time, window).await;
            *last.lock() = Some(time.now());
            let references = own.references().take().unwrap_or_default();
            close(&open, &own);
            let answers = inner.get_many(&references).await;
            drop(permit);
            Arc::new(answers)
        };
        Batch {
            asked,
            answers: read.boxed().shared(),
        }
    }
}

/// Closes a batch that is sent, so that no caller joins it.
fn close(open: &Mutex<Option<Batch>>, asked: &Arc<Asked>) {
    let mut open = open.lock();
    let closed = open.take_if(|batch| Arc::ptr_eq(&batch.asked, asked));
    drop(open);
    drop(closed);
}

impl Batched {
    fn window(&self) -> Duration {
        let last = *self.last.lock();
        let recent = last.is_some_and(|last| {
            let since = self.time.now().duration_since(last);
            (SignedDuration::ZERO..RECENT).contains(&since)
        });
        if recent { BUSY_WINDOW } else { WINDOW }
    }
}

impl Asked {
    fn add(&self, reference: &RemoteRef, size: usize) -> Option<usize> {
        let mut references = self.references();
        let references = references.as_mut()?;
        if references.len() >= size {
            return None;
        }
        references.push(reference.clone());
        if references.len() == size {
            self.full.notify_one();
        }
        Some(references.len() - 1)
    }

    /// Waits until the batch has to be sent. Returns the permit that later batches wait for, unless
    /// another batch holds it.
    async fn collect(
        &self,
        under_way: Arc<Semaphore>,
        time: &dyn Time,
        window: Duration,
    ) -> Option<OwnedSemaphorePermit> {
        let mut full = pin!(self.full.notified());
        let window = time.sleep(window);
        if let Either::Right(_) = select(full.as_mut(), window).await {
            let free = pin!(Arc::clone(&under_way).acquire_owned());
            let earliest = select(free, time.sleep(PATIENCE));
            if let Either::Right((Either::Left((permit, _)), _)) = select(full, earliest).await {
                return permit.ok();
            }
        }
        under_way.try_acquire_owned().ok()
    }

    fn references(&self) -> MutexGuard<'_, Option<Vec<RemoteRef>>> {
        self.references.lock()
    }
}

impl Store for Batched {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let (batch, place) = self.join(reference);
        let answers = batch.answers.await;
        match answers.get(place) {
            Some(Ok(value)) => Ok(value.clone()),
            Some(Err(error)) => Err(error.duplicate()),
            None => Err(Error::new(
                ErrorKind::Internal,
                "the batch has too few answers",
            )),
        }
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        self.inner.get_map(reference).await
    }

    async fn get_many(&self, references: &[RemoteRef]) -> Vec<Result<SecretValue>> {
        self.inner.get_many(references).await
    }

    async fn get_raw(&self, reference: &RemoteRef) -> Result<SecretValue> {
        self.inner.get_raw(reference).await
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        self.inner.containing_read(read)
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        self.inner.extract_from(read, containing)
    }

    async fn version(&self, reference: &RemoteRef, alone: bool) -> Result<Option<String>> {
        self.inner.version(reference, alone).await
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        self.inner.find(find).await
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        self.inner.push(item).await
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        self.inner.delete(target).await
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        self.inner.exists(target).await
    }

    async fn check(&self) -> Check {
        self.inner.check().await
    }

    fn renew_after(&self) -> Option<Duration> {
        self.inner.renew_after()
    }

    fn lifecycle(&self) -> Option<&dyn Lifecycle> {
        self.inner.lifecycle()
    }
}

#[cfg(test)]
mod tests;
