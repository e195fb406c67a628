//! Reads and what they give, as data. Where a store can take one read's answer out of another's, it
//! names the wider read ([`crate::Store::containing_read`]), which is then made once for all, and takes each
//! part out by its own rules ([`crate::Store::extract_from`]). Nothing here asks a backend.

use crate::error::{Error, ErrorKind, Result};
use crate::request::{Find, RemoteRef};
use crate::value::{SecretMap, SecretValue};

/// A read of a store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Read {
    /// One value; answered by a [`Payload::Value`].
    Value(RemoteRef),
    /// One value as a map.
    Map(RemoteRef),
    /// All that a backend answers to a reference, in a form that its provider alone can read;
    /// answered by a [`Payload::Value`]. No manifest asks for it: it is made for what is in it.
    Raw(RemoteRef),
    /// A search.
    Find(Find),
}

/// What a read gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// One value, for [`Read::Value`] and [`Read::Raw`].
    Value(SecretValue),
    /// A map, for everything else.
    Map(SecretMap),
}

impl Read {
    /// The secret that is asked for; `None` for a search.
    pub fn reference(&self) -> Option<&RemoteRef> {
        match self {
            Self::Value(reference) | Self::Map(reference) | Self::Raw(reference) => Some(reference),
            Self::Find(_) => None,
        }
    }

    /// The read of the whole value, for stores whose properties and members are inside of it.
    pub fn value_read(&self) -> Option<Self> {
        let reference = self.reference()?;
        Some(Self::Value(RemoteRef {
            property: None,
            version: reference.wanted_version().map(str::to_owned),
            ..reference.clone()
        }))
    }

    /// What this read gives, out of the outcome of [`Self::value_read`]: `value` takes the value of
    /// a reference out of the whole one, `map` makes members of what that gave.
    pub fn extract_from_value(
        &self,
        whole: &Result<Payload>,
        value: impl FnOnce(&SecretValue, &RemoteRef) -> Result<SecretValue>,
        map: impl FnOnce(&SecretValue, &RemoteRef) -> Result<SecretMap>,
    ) -> Result<Payload> {
        let whole = match whole {
            Ok(Payload::Value(whole)) => whole,
            Ok(Payload::Map(_)) => return Err(mismatch()),
            Err(error) => return Err(error.duplicate()),
        };
        match self {
            Self::Value(reference) => value(whole, reference).map(Payload::Value),
            Self::Map(reference) => {
                let value = value(whole, reference)?;
                map(&value, reference).map(Payload::Map)
            }
            Self::Raw(_) | Self::Find(_) => Err(mismatch()),
        }
    }
}

/// A payload of another shape than the read it is said to be the answer to.
pub fn mismatch() -> Error {
    Error::new(
        ErrorKind::Internal,
        "the answer of the shared read does not have the shape of the read",
    )
}
