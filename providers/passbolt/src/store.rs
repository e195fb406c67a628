//! An authenticated connection as the rest of the program sees it. Operations that are not here
//! are unsupported, and the capabilities say the same.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Members, Property};

use crate::api::Api;

/// How a property is read out of a value.
const PROPERTY: Property = Property::EscapedDotThenGjson;
/// How a value becomes a map.
const MEMBERS: Members = Members::UnquoteStrings;

/// A connection to an Passbolt server.
pub struct PassboltStore {
    api: Api,
}

impl PassboltStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

impl Store for PassboltStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let value = self.api.read(&reference.key).await?;
        PROPERTY.wanted(&value, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        MEMBERS.of(&self.get(reference).await?)
    }

    /// Properties and members are inside of the value, so one read serves all of them.
    fn containing_read(&self, read: &Read) -> Option<Read> {
        read.value_read()
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let wanted = |value: &SecretValue, reference: &RemoteRef| PROPERTY.wanted(value, reference);
        read.extract_from_value(containing, wanted, |value, _| MEMBERS.of(value))
    }
}
