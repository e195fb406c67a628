//! The vault of a store: manifests name it, requests need its id. The id is kept and looked up again where the
//! vault has another name by now or is gone.

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
        let found = find(api, name).await;
        let found = found.map_err(|error| not_absence(error).context("error listing vaults"))?;
        let id = found.ok_or_else(|| Error::invalid_spec(format!("vault {name:?} not found")))?;
        Ok(Self {
            name: name.to_owned(),
            id: Mutex::new(id),
        })
    }

    /// The id of the vault that has the name now; `None` where there is none.
    pub(crate) async fn id(&self, api: &Api) -> Result<Option<String>> {
        let known = self.id.lock().clone();
        match api.vault(&known).await {
            Ok(vault) if vault.name == self.name => return Ok(Some(known)),
            Ok(_) => {}
            Err(error) if error.kind() == &ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let found = find(api, &self.name).await;
        let found =
            found.map_err(|error| not_absence(error).context("failed to refresh vault ID"))?;
        if let Some(id) = &found {
            self.id.lock().clone_from(id);
        }
        Ok(found)
    }
}

async fn find(api: &Api, name: &str) -> Result<Option<String>> {
    let vaults = api.vaults(name).await?;
    let found = vaults.into_iter().find(|vault| vault.name == name);
    Ok(found.map(|vault| vault.id))
}
