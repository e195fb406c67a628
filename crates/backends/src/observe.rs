//! Looks at one secret: its state, and its value where `apply` and `status` must compare it. Calls are
//! bounded in time and repeated while the backend is busy; nothing is decided here.

use std::future::Future;
use std::time::Duration;

use lockstep_provider_api::lifecycle::{Description, Lifecycle, State};
use lockstep_provider_api::{Error, ErrorKind, RemoteRef, Result, SecretValue, SharedStore};

use crate::content::{self, Difference};
use crate::sources::Desired;

/// Longest time for one operation; a vault may take a minute to recover a secret.
const DEADLINE: Duration = Duration::from_mins(3);
/// How often an operation is tried that a busy backend refuses.
const TRIES: u32 = 4;
/// Longest wait that a backend may ask for.
const LONGEST: Duration = Duration::from_secs(30);

/// A connected store whose secrets have states.
#[derive(Clone)]
pub(crate) struct Backend {
    pub(crate) store: SharedStore,
}

/// What is known of a desired secret.
#[derive(Debug)]
pub(crate) struct Observed {
    pub(crate) description: Description,
    /// The present value, where it can be read and is needed.
    pub(crate) current: Option<SecretValue>,
    /// How it differs from the desired one.
    pub(crate) difference: Option<std::result::Result<Difference, String>>,
    /// Names of the tags that differ; `None` where the manifest wants none or they cannot be seen.
    pub(crate) tags: Option<Vec<String>>,
}

impl Backend {
    /// `None` where the provider has no such states.
    pub(crate) fn new(store: SharedStore) -> Option<Self> {
        store.lifecycle()?;
        Some(Self { store })
    }

    pub(crate) fn life(&self) -> Result<&dyn Lifecycle> {
        self.store
            .lifecycle()
            .ok_or_else(|| Error::unsupported("this provider has no states of secrets"))
    }

    pub(crate) async fn describe(&self, key: &str) -> Result<Description> {
        let life = self.life()?;
        patiently(|| life.describe(key)).await
    }

    /// The state of a desired secret, and how its value differs.
    pub(crate) async fn observe(&self, desired: &Desired) -> Result<Observed> {
        let description = self.describe(&desired.name).await?;
        let mut observed = Observed {
            description,
            current: None,
            difference: None,
            tags: None,
        };
        if description.state == State::Available {
            let reference = RemoteRef::key(&*desired.name);
            let current = patiently(|| self.store.get(&reference)).await?;
            observed.difference = Some(content::difference(desired, &current));
            observed.current = Some(current);
            observed.tags = self.differing_tags(desired).await?;
        }
        Ok(observed)
    }

    /// Names of the tags that differ; `None` where the manifest wants none.
    pub(crate) async fn differing_tags(&self, desired: &Desired) -> Result<Option<Vec<String>>> {
        if desired.metadata.is_none() {
            return Ok(None);
        }
        let (life, item) = (self.life()?, desired.push(SecretValue::default()));
        patiently(|| life.differing_tags(&item)).await.map(Some)
    }
}

/// Runs an operation within its deadline, and again while the backend is busy or cannot be reached.
/// Operations of a lifecycle may be repeated.
pub(crate) async fn patiently<T, F>(operation: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let mut tried = 1;
    loop {
        let ended = tokio::time::timeout(DEADLINE, operation()).await;
        let error = match ended {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) => error,
            Err(_) => return Err(Error::unreachable(format!("no answer within {DEADLINE:?}"))),
        };
        let is_passing = matches!(error.kind(), ErrorKind::Throttled | ErrorKind::Unreachable);
        let told = error.retry_after();
        if !is_passing || tried >= TRIES || told.is_some_and(|delay| delay > LONGEST) {
            return Err(error);
        }
        let usual = Duration::from_secs(1 << (tried - 1));
        tokio::time::sleep(told.unwrap_or(usual)).await;
        tried += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    async fn attempts(kind: ErrorKind) -> u32 {
        let count = Cell::new(0);
        let failed: Result<()> = patiently(|| {
            count.set(count.get() + 1);
            let error = Error::new(kind.clone(), "no");
            async { Err(error) }
        })
        .await;
        assert!(failed.is_err());
        count.get()
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_busy_backend_is_asked_again() {
        assert_eq!(attempts(ErrorKind::Throttled).await, TRIES);
        assert_eq!(attempts(ErrorKind::Unreachable).await, TRIES);
        assert_eq!(attempts(ErrorKind::Denied).await, 1);
        assert_eq!(attempts(ErrorKind::Conflict).await, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn an_operation_that_hangs_ends() {
        let ended: Result<()> = patiently(std::future::pending).await;

        assert!(ended.unwrap_err().to_string().contains("no answer within"));
    }
}
