//! What is put around every store, whatever its provider: time-outs, repeats, limits, metrics.
//! Each layer takes a [`SharedStore`] and gives one back; [`Layer`] is written once per concern
//! and the methods of a store are spelled out once, in [`Layered`].
//!
//! Dropping a call drops everything a layer holds for it, so calls may be cancelled anywhere.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::erased::{DynStore, SharedStore};
use crate::error::Result;
use crate::lifecycle::Lifecycle;
use crate::read::{Payload, Read};
use crate::request::{Find, PushItem, PushTarget, Pushed, RemoteRef};
use crate::store::{Check, Store};
use crate::value::{SecretMap, SecretValue};

mod contain;
mod limit;
mod metrics;
mod retry;
#[cfg(test)]
mod tests;
mod timeout;

pub use contain::{broken, contain};
pub use limit::limit;
pub use metrics::{Meter, Observation, metrics};
pub use retry::retry;
pub use timeout::timeout;

/// An operation of a store, as messages and metrics name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Call {
    /// [`Store::get`].
    Get,
    /// [`Store::get_map`].
    GetMap,
    /// [`Store::get_many`].
    GetMany,
    /// [`Store::version`].
    Version,
    /// [`Store::find`].
    Find,
    /// [`Store::push`].
    Push,
    /// [`Store::delete`].
    Delete,
    /// [`Store::exists`].
    Exists,
    /// [`Store::check`].
    Check,
}

impl Call {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::GetMap => "get_map",
            Self::GetMany => "get_many",
            Self::Version => "version",
            Self::Find => "find",
            Self::Push => "push",
            Self::Delete => "delete",
            Self::Exists => "exists",
            Self::Check => "check",
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One concern around the calls of a store.
pub trait Layer: Send + Sync + 'static {
    /// Runs a call by running `attempt`, once or more often.
    fn around<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        attempt: impl Fn() -> BoxFuture<'a, Result<T>> + Send + Sync + 'a,
    ) -> impl Future<Output = Result<T>> + Send + 'a;

    /// Runs a batch read. By default it is one call that fails for every reference or for none.
    fn around_many<'a>(
        &'a self,
        inner: &'a dyn DynStore,
        references: &'a [RemoteRef],
    ) -> impl Future<Output = Vec<Result<SecretValue>>> + Send + 'a {
        async move {
            let whole = move || -> BoxFuture<'a, _> {
                Box::pin(async move { Ok(inner.get_many(references).await) })
            };
            match self.around(Call::GetMany, whole).await {
                Ok(answers) => answers,
                Err(error) => references.iter().map(|_| Err(error.duplicate())).collect(),
            }
        }
    }
}

/// A store with one layer around it.
pub struct Layered<L> {
    inner: SharedStore,
    layer: L,
}

impl<L: Layer> Layered<L> {
    /// Puts `layer` around `inner`.
    pub fn share(inner: SharedStore, layer: L) -> SharedStore {
        Arc::new(Self { inner, layer })
    }
}

impl<L: Layer> Store for Layered<L> {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let attempt = || self.inner.get(reference);
        self.layer.around(Call::Get, attempt).await
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        let attempt = || self.inner.get_map(reference);
        self.layer.around(Call::GetMap, attempt).await
    }

    async fn get_many(&self, references: &[RemoteRef]) -> Vec<Result<SecretValue>> {
        self.layer.around_many(&*self.inner, references).await
    }

    async fn get_raw(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let attempt = || self.inner.get_raw(reference);
        self.layer.around(Call::Get, attempt).await
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        self.inner.containing_read(read)
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        self.inner.extract_from(read, containing)
    }

    async fn version(&self, reference: &RemoteRef, alone: bool) -> Result<Option<String>> {
        let attempt = || self.inner.version(reference, alone);
        self.layer.around(Call::Version, attempt).await
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        let attempt = || self.inner.find(find);
        self.layer.around(Call::Find, attempt).await
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        let attempt = || self.inner.push(item);
        self.layer.around(Call::Push, attempt).await
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        let attempt = || self.inner.delete(target);
        self.layer.around(Call::Delete, attempt).await
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        let attempt = || self.inner.exists(target);
        self.layer.around(Call::Exists, attempt).await
    }

    async fn check(&self) -> Check {
        let attempt = || -> BoxFuture<'_, _> {
            Box::pin(async {
                match self.inner.check().await {
                    Check::Failed(error) => Err(error),
                    other => Ok(other),
                }
            })
        };
        let checked = self.layer.around(Call::Check, attempt).await;
        checked.unwrap_or_else(Check::Failed)
    }

    fn renew_after(&self) -> Option<Duration> {
        self.inner.renew_after()
    }

    /// Not around each operation: who runs a command bounds and repeats them by itself.
    fn lifecycle(&self) -> Option<&dyn Lifecycle> {
        self.inner.lifecycle()
    }
}
