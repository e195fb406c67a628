//! Collects single reads of one connection for a moment and makes one batch of them, for backends
//! that read many at once. Whoever waits drives the batch, so a caller that goes away holds nobody
//! up.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use lockstep_provider::context::Time;
use lockstep_provider::store::Check;
use lockstep_provider::{
    Error, ErrorKind, Find, PushItem, PushTarget, Pushed, RemoteRef, Result, SecretMap,
    SecretValue, SharedStore, Store,
};

/// How long reads are collected.
const WINDOW: Duration = Duration::from_millis(5);

/// A store whose single reads go out together, at most `size` at once.
pub(crate) fn batched(inner: SharedStore, size: usize, time: Arc<dyn Time>) -> SharedStore {
    Arc::new(Batched {
        inner,
        size,
        time,
        open: Mutex::default(),
    })
}

struct Batched {
    inner: SharedStore,
    size: usize,
    time: Arc<dyn Time>,
    /// The batch that still takes reads.
    open: Mutex<Option<Batch>>,
}

type Answers = Arc<Vec<Result<SecretValue>>>;

#[derive(Clone)]
struct Batch {
    /// What is asked; `None` once it has gone out.
    references: Arc<Mutex<Option<Vec<RemoteRef>>>>,
    answers: Shared<BoxFuture<'static, Answers>>,
}

impl Batched {
    /// Puts a reference into a batch; returns the batch and the place of its answer.
    fn join(&self, reference: &RemoteRef) -> (Batch, usize) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(batch) = open.as_ref()
            && let Some(place) = batch.add(reference, self.size)
        {
            return (batch.clone(), place);
        }
        let batch = self.begin(reference.clone());
        *open = Some(batch.clone());
        (batch, 0)
    }

    fn begin(&self, first: RemoteRef) -> Batch {
        let references = Arc::new(Mutex::new(Some(vec![first])));
        let (inner, window) = (Arc::clone(&self.inner), self.time.sleep(WINDOW));
        let asked = Arc::clone(&references);
        let read = async move {
            window.await;
            let asked = asked.lock().unwrap_or_else(PoisonError::into_inner).take();
            let asked = asked.unwrap_or_default();
            Arc::new(inner.get_many(&asked).await)
        };
        Batch {
            references,
            answers: read.boxed().shared(),
        }
    }
}

impl Batch {
    fn add(&self, reference: &RemoteRef, size: usize) -> Option<usize> {
        let mut asked = self
            .references
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let asked = asked.as_mut().filter(|asked| asked.len() < size)?;
        asked.push(reference.clone());
        Some(asked.len() - 1)
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
}

#[cfg(test)]
mod tests;
