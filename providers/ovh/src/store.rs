//! An authenticated connection as the rest of the program sees it. Searches are in `find`, writes in
//! `push`.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::missing;
use lockstep_provider_kit::{Members, Property};

use crate::api::Api;
use crate::{find, push};

const PROPERTY: Property = Property::GjsonText;
const MEMBERS: Members = Members::GoBytes;

/// A connection to an OKMS domain.
pub struct OvhStore {
    api: Api,
}

impl OvhStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

/// The error of a read; a missing secret reads as users know it.
pub(crate) fn unreadable(key: &str, error: Error) -> Error {
    if error.kind() == &ErrorKind::NotFound {
        return error;
    }
    error.context(format!("failed to retrieve secret at path {key:?}"))
}

fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    let Some(property) = reference.wanted_property() else {
        return Ok(value.clone());
    };
    PROPERTY.extract(value, property).map_err(|error| {
        // Upstream does not see a missing property as a missing secret.
        let error = if error.kind() == &ErrorKind::NotFound {
            missing(format!("secret property {property:?} not found"))
        } else {
            error
        };
        unreadable(&reference.key, error)
    })
}

fn members(value: &SecretValue, reference: &RemoteRef) -> Result<SecretMap> {
    if value.is_empty() {
        return Ok(SecretMap::new());
    }
    let members = MEMBERS.of(value);
    members.map_err(|error| unreadable(&reference.key, error))
}

fn version(reference: &RemoteRef) -> Result<Option<u32>> {
    let Some(version) = reference.wanted_version() else {
        return Ok(None);
    };
    let is_number = version.bytes().all(|byte| byte.is_ascii_digit());
    let fault = if is_number {
        "value out of range"
    } else {
        "invalid syntax"
    };
    let number = version.parse().ok().filter(|_| is_number);
    number.map(Some).ok_or_else(|| {
        Error::invalid_spec(format!(
            "invalid secret version {version:?}: strconv.ParseUint: parsing {version:?}: {fault}"
        ))
    })
}

impl Store for OvhStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let key = &reference.key;
        if reference.metadata == MetadataPolicy::Fetch {
            let error = Error::unsupported("fetch metadata policy not supported");
            return Err(unreadable(key, error));
        }
        let version = version(reference).map_err(|error| unreadable(key, error))?;
        let secret = self.api.read(key, version).await;
        let secret = secret.map_err(|error| unreadable(key, error))?;
        wanted(&secret.data, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.get(reference).await?, reference)
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        read.value_read()
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        read.extract_from_value(containing, wanted, members)
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        let found = find::find(&self.api, find).await;
        found.map_err(|error| error.context("failed to retrieve multiple secrets"))
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        push::push(&self.api, item).await
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        push::delete(&self.api, target).await
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        push::exists(&self.api, target).await
    }

    async fn check(&self) -> Check {
        match self.api.check().await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error.context("failed to validate secret store")),
        }
    }
}
