//! An authenticated connection as the rest of the program sees it. Upstream reads and looks up; everything
//! else is not implemented there either.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{missing, missing_kept};
use lockstep_provider_kit::{Members, Property};

use crate::api::Api;

const PROPERTY: Property = Property::TopLevelUnquoted;
const MEMBERS: Members = Members::RawJson;

/// A connection to KMS.
pub struct VolcengineStore {
    api: Api,
}

impl VolcengineStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    let Some(property) = reference.wanted_property() else {
        return Ok(value.clone());
    };
    PROPERTY.extract(value, property).map_err(|error| {
        // Upstream does not see a missing property as a missing secret.
        if error.kind() == &ErrorKind::NotFound {
            return missing(format!("property {property:?} not found in secret"));
        }
        not_json()
    })
}

fn members(value: &SecretValue, _: &RemoteRef) -> Result<SecretMap> {
    MEMBERS.of(value).map_err(|_| not_json())
}

fn not_json() -> Error {
    Error::invalid_data("failed to unmarshal secret: invalid JSON format")
}

impl Store for VolcengineStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let value = self
            .api
            .read(&reference.key, reference.wanted_version())
            .await;
        wanted(&value.map_err(missing_kept)?, reference)
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

    /// A secret that is not there is no error, unlike at upstream.
    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        if target.remote_key.is_empty() {
            return Err(Error::invalid_spec("secret name is empty"));
        }
        match self.api.describe(&target.remote_key).await {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == &ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// As upstream does, nothing is asked.
    async fn check(&self) -> Check {
        Check::Healthy(Health::Ready)
    }
}
