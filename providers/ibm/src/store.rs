//! An authenticated connection as the rest of the program sees it. One read serves all fields of a secret.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::read::mismatch;
use lockstep_provider_kit::error::missing_kept;

use crate::api::Api;
use crate::fields::{Fields, named};
use crate::key::Key;
use crate::kind::Value;

/// A connection to an instance.
pub struct IbmStore {
    api: Api,
}

impl IbmStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

/// Refuses what cannot be read, before anything is asked.
fn check(read: &Read) -> Result<()> {
    let Some(reference) = read.reference() else {
        return Err(not_implemented());
    };
    let key = Key::parse(&reference.key);
    // As upstream does, a map of an unknown type is refused only after the secret was read.
    if let Read::Value(_) = read {
        let kind = key.kind()?;
        if let Value::Named = kind.value() {
            named(kind, reference)?;
        }
    }
    key.path().map(drop)
}

fn not_implemented() -> Error {
    Error::unsupported("not implemented")
}

impl Store for IbmStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        check(&Read::Value(reference.clone()))?;
        Fields::read(&self.get_raw(reference).await?)?.value(reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        check(&Read::Map(reference.clone()))?;
        Fields::read(&self.get_raw(reference).await?)?.members(reference)
    }

    async fn get_raw(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let key = Key::parse(&reference.key);
        self.api.read(&key).await.map_err(missing_kept)
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        check(read).ok()?;
        let reference = read.reference()?;
        Some(Read::Raw(RemoteRef::key(&reference.key)))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let body = match containing {
            Ok(Payload::Value(body)) => body,
            Ok(Payload::Map(_)) => return Err(mismatch()),
            Err(error) => return Err(error.duplicate()),
        };
        match read {
            Read::Raw(_) => Ok(Payload::Value(body.clone())),
            Read::Value(reference) => Ok(Payload::Value(Fields::read(body)?.value(reference)?)),
            Read::Map(reference) => Ok(Payload::Map(Fields::read(body)?.members(reference)?)),
            Read::Find(_) => Err(mismatch()),
        }
    }

    /// As upstream does, nothing is asked.
    async fn check(&self) -> Check {
        Check::Healthy(Health::Ready)
    }
}
