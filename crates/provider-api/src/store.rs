//! The two traits a provider implements, with plain `async fn`. Unsupported operations need no
//! code: the defaults answer for them and [`Capabilities`] must agree.

use std::future::Future;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::capability::Capabilities;
use crate::context::{Ctx, Scope};
use crate::error::{Error, Result};
use crate::generator::GeneratorEntry;
use crate::json::json_object;
use crate::lifecycle::Lifecycle;
use crate::read::{Payload, Read};
use crate::request::{Find, Health, PushItem, PushTarget, Pushed, RemoteRef};
use crate::value::{SecretMap, SecretValue};

/// How well a provider is maintained; unmaintained ones warn on their stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// Supported.
    Maintained,
    /// Works, but nobody looks after it.
    NotMaintained,
    /// Will be removed.
    Deprecated,
}

/// Remarks on a valid spec, shown by admission.
pub type Warnings = Vec<String>;

/// A kind of backend.
pub trait Provider: Sized + 'static {
    /// The key under `spec.provider`.
    const NAME: &'static str;
    /// How well it is maintained.
    const STABILITY: Stability;
    /// Whether it repeats failed calls by itself, after `ctx.retry()`. Otherwise a layer does.
    const REPEATS: bool = false;
    /// Generators that sign in as its stores do.
    const GENERATORS: &'static [GeneratorEntry] = &[];
    /// Its part of the store manifest.
    type Spec: DeserializeOwned + JsonSchema + Send + 'static;
    /// Its authenticated connection.
    type Store: Store;

    /// Checks a spec without looking at the cluster or the backend.
    fn validate(spec: &Self::Spec, scope: &Scope) -> Result<Warnings>;

    /// Checks a spec for admission. Differs from [`Self::validate`] where a store that admission
    /// refuses can work all the same: upstream's controllers make no static checks, so a store that
    /// was made before the webhook was there must not stop.
    fn admit(spec: &Self::Spec, scope: &Scope) -> Result<Warnings> {
        Self::validate(spec, scope)
    }

    /// What a store with this spec can do.
    fn capabilities(spec: &Self::Spec) -> Capabilities;

    /// Resolves credentials through `ctx` and returns a store that is cheap to share.
    fn connect(spec: Self::Spec, ctx: Ctx) -> impl Future<Output = Result<Self::Store>> + Send;
}

/// An authenticated connection to a backend.
pub trait Store: Send + Sync + 'static {
    /// Reads one value. Absent is `NotFound`; present but deleted or disabled is `Tombstoned`.
    fn get(&self, reference: &RemoteRef) -> impl Future<Output = Result<SecretValue>> + Send;

    /// Reads a value as a map; by default the members of a JSON object.
    fn get_map(&self, reference: &RemoteRef) -> impl Future<Output = Result<SecretMap>> + Send {
        async { json_object(&self.get(reference).await?) }
    }

    /// Reads many values, one answer a reference in the same order. Override where the backend
    /// reads in batches.
    fn get_many(
        &self,
        references: &[RemoteRef],
    ) -> impl Future<Output = Vec<Result<SecretValue>>> + Send {
        async move {
            let mut answers = Vec::with_capacity(references.len());
            for reference in references {
                answers.push(self.get(reference).await);
            }
            answers
        }
    }

    /// Reads all that the backend answers to a reference, for stores whose [`Store::containing_read`] names
    /// such a read.
    fn get_raw(&self, _reference: &RemoteRef) -> impl Future<Output = Result<SecretValue>> + Send {
        async { Err(Error::unsupported("this provider has no raw reads")) }
    }

    /// The wider read whose answer this one's can be taken out of, be it itself. Reads with the same
    /// one cost a single request. Asks nobody; a containing read contains itself.
    fn containing_read(&self, _read: &Read) -> Option<Read> {
        None
    }

    /// What `read` gives, taken out of the outcome of its [`Store::containing_read`]: to the byte what the
    /// read itself would give, errors included. Asks nobody.
    fn extract_from(&self, _read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        match containing {
            Ok(payload) => Ok(payload.clone()),
            Err(error) => Err(error.duplicate()),
        }
    }

    /// A word that is another one whenever the value of a reference is, found out without reading
    /// that value; `None` where only a read can tell, or where it costs less: `alone` says that no
    /// other read would go into the same request. An error says nothing about the value.
    fn version(
        &self,
        _reference: &RemoteRef,
        _alone: bool,
    ) -> impl Future<Output = Result<Option<String>>> + Send {
        async { Ok(None) }
    }

    /// Searches. Pages to the end; a partial result is an error.
    fn find(&self, _find: &Find) -> impl Future<Output = Result<SecretMap>> + Send {
        async { Err(not_implemented()) }
    }

    /// Writes a value, comparing before it writes.
    fn push(&self, _item: &PushItem) -> impl Future<Output = Result<Pushed>> + Send {
        async { Err(not_implemented()) }
    }

    /// Deletes a value; deleting what is absent succeeds, what is not ours is a `Conflict`.
    fn delete(&self, _target: &PushTarget) -> impl Future<Output = Result<()>> + Send {
        async { Err(not_implemented()) }
    }

    /// Whether a value is there.
    fn exists(&self, _target: &PushTarget) -> impl Future<Output = Result<bool>> + Send {
        async { Err(not_implemented()) }
    }

    /// Checks the connection for the store's Ready condition.
    fn check(&self) -> impl Future<Output = Check> + Send {
        async { Check::Healthy(Health::Unknown) }
    }

    /// When the credentials behind this connection expire.
    fn renew_after(&self) -> Option<Duration> {
        None
    }

    /// Deleted, disabled and destroyed secrets, where the backend has such states.
    fn lifecycle(&self) -> Option<&dyn Lifecycle> {
        None
    }
}

/// Outcome of [`Store::check`].
#[derive(Debug)]
pub enum Check {
    /// No fault found.
    Healthy(Health),
    /// It could not be told, and this is why: the store stays usable with reason
    /// `ValidationUnknown`.
    Undetermined(Error),
    /// The store does not work.
    Failed(Error),
}

/// Upstream's words for an operation that a backend does not have.
fn not_implemented() -> Error {
    Error::unsupported("not implemented")
}
