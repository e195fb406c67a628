//! The vault of a store: manifests name it, requests need its id. The id is kept and looked up again where the
//! vault has another name by now or cannot be read.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::not_absence;
use parking_lot::Mutex;

use crate::api::Api;

/// A vault whose id was found.
pub(crate) struct Known {
    name: String,
    id: Mutex<String>,
}

impl Known {
    /// Finds a vault by its name.
    pub(crate) async fn look_up(api: &Api, name: &str) -> Result<Self> {
        let found = api.vault_named(name).await;
        let found = found.map_err(|error| not_absence(error).context("error listing vaults"))?;
        let found =
            found.ok_or_else(|| Error::invalid_spec(format!("vault {name:?} not found")))?;
        Ok(Self {
            name: name.to_owned(),
            id: Mutex::new(found.id),
        })
    }

    /// The id of the vault that has the name now; `None` where there is none.
    pub(crate) async fn id(&self, api: &Api) -> Result<Option<String>> {
        let known = self.id.lock().clone();
        let vault = api.vault(&known).await;
        if vault.is_ok_and(|vault| vault.name == self.name) {
            return Ok(Some(known));
        }
        let found = api.vault_named(&self.name).await;
        let found =
            found.map_err(|error| not_absence(error).context("failed to refresh vault ID"))?;
        let id = found.map(|vault| vault.id);
        if let Some(id) = &id {
            self.id.lock().clone_from(id);
        }
        Ok(id)
    }
}
