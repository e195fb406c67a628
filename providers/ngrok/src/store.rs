//! An authenticated connection as the rest of the program sees it. The backend gives no value away, so that
//! nothing can be read.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::not_absence;

use crate::api::Api;
use crate::push;
use crate::vault::Known;

/// A connection to a vault.
pub struct NgrokStore {
    api: Api,
    vault: Known,
}

impl NgrokStore {
    pub(crate) fn new(api: Api, vault: Known) -> Self {
        Self { api, vault }
    }
}

fn write_only() -> Error {
    Error::unsupported("not implemented - the ngrok provider only supports write operations")
}

impl Store for NgrokStore {
    async fn get(&self, _reference: &RemoteRef) -> Result<SecretValue> {
        Err(write_only())
    }

    async fn get_map(&self, _reference: &RemoteRef) -> Result<SecretMap> {
        Err(write_only())
    }

    async fn find(&self, _find: &Find) -> Result<SecretMap> {
        Err(write_only())
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        let pushed = push::push(&self.api, &self.vault, item).await;
        pushed.map_err(not_absence)
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        let deleted = push::delete(&self.api, &self.vault, target).await;
        deleted.map_err(not_absence)
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        let exists = push::exists(&self.api, &self.vault, target).await;
        exists.map_err(not_absence)
    }

    async fn check(&self) -> Check {
        match self.api.check().await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => {
                let error = not_absence(error).context("store is not allowed to list secrets");
                Check::Failed(error)
            }
        }
    }
}
