//! An authenticated connection as the rest of the program sees it. A property is a call of its own; whole
//! secrets and maps are taken out of the same answer.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::entries::{to_json, to_map};
use lockstep_provider_kit::grpc::parts;

use crate::api::{self, Api};
use crate::error::{unread, unread_entry};
use crate::messages::SecretPayload;

/// A connection to MysteryBox.
pub struct NebiusmysteryboxStore {
    api: Api,
}

impl NebiusmysteryboxStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }

    async fn entry(&self, reference: &RemoteRef, key: &str) -> Result<SecretValue> {
        let entry = self.api.entry(reference, key).await;
        let entry = entry.map_err(|error| unread_entry(error, reference, key))?;
        let entry = entry
            .ok_or_else(|| Error::invalid_data(format!("received nil data for key: {key}")))?;
        let value = api::typed(entry.value, key)?;
        Ok(value.into_secret())
    }

    async fn payload(&self, reference: &RemoteRef) -> Result<SecretPayload> {
        let payload = self.api.payload(reference).await;
        payload.map_err(|error| unread(error, reference))
    }
}

fn whole(payload: Result<SecretPayload>) -> Result<SecretValue> {
    api::entries(payload?).map(to_json)
}

fn members(payload: Result<SecretPayload>) -> Result<SecretMap> {
    api::entries(payload?).map(to_map)
}

impl Store for NebiusmysteryboxStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        match reference.wanted_property() {
            Some(key) => self.entry(reference, key).await,
            None => whole(self.payload(reference).await),
        }
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(self.payload(reference).await)
    }

    async fn get_raw(&self, reference: &RemoteRef) -> Result<SecretValue> {
        Ok(parts::raw(&self.payload(reference).await?))
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        match read {
            Read::Value(reference) if reference.wanted_property().is_some() => None,
            read => parts::containing(read),
        }
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        parts::extract(read, containing, |payload, _| whole(payload), members)
    }

    /// The sign-in was the check.
    async fn check(&self) -> Check {
        Check::Healthy(Health::Ready)
    }
}
