//! An authenticated connection as the rest of the program sees it. Operations that are not here
//! are unsupported, and the capabilities say the same.

use lockstep_provider_api::json::json_object;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property::{Dots, extract_wanted};

use crate::api::Api;

/// A connection to an Acme server.
pub struct AcmeStore {
    api: Api,
}

impl AcmeStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

impl Store for AcmeStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let value = self.api.read(&reference.key).await?;
        extract_wanted(value, reference, Dots::EscapedThenRaw)
    }

    /// Properties and members are inside of the value, so one read serves all of them.
    fn containing_read(&self, read: &Read) -> Option<Read> {
        read.value_read()
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let wanted = |value: &SecretValue, reference: &RemoteRef| {
            extract_wanted(value.clone(), reference, Dots::EscapedThenRaw)
        };
        read.extract_from_value(containing, wanted, |value, _| json_object(value))
    }
}
