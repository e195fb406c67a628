//! A signed-in user: what the server gave for it, until it signs out.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_provider_api::http::Method;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::not_absence;
use parking_lot::Mutex;

use crate::api::Api;
use crate::error::check;
use crate::metadata::Metadata;
use crate::openpgp::PrivateKey;
use crate::schema::ResourceType;

/// A signed-in user.
pub(crate) struct Session {
    pub(crate) api: Api,
    pub(crate) key: Arc<PrivateKey>,
    pub(crate) metadata: Metadata,
    types: Mutex<BTreeMap<String, Arc<ResourceType>>>,
}

impl Session {
    pub(crate) fn new(api: Api, key: Arc<PrivateKey>, metadata: Metadata) -> Self {
        Self {
            api,
            key,
            metadata,
            types: Mutex::default(),
        }
    }

    /// Whether the server still takes it. An outage says nothing about that.
    pub(crate) async fn is_live(&self) -> Result<bool> {
        let request = self.api.request(Method::GET, "/auth/is-authenticated.json");
        match self.api.send("CheckSession", request, check).await {
            Ok(_) => Ok(true),
            Err(error) => match error.kind() {
                ErrorKind::Unreachable | ErrorKind::Throttled => Err(error),
                _ => Ok(false),
            },
        }
    }

    /// What a type says about its resources; read once a session.
    pub(crate) async fn resource_type(&self, id: &str) -> Result<Arc<ResourceType>> {
        if let Some(known) = self.types.lock().get(id) {
            return Ok(Arc::clone(known));
        }
        let path = format!("/resource-types/{id}.json");
        let read: ResourceType = self
            .api
            .get("GetResourceType", &path)
            .await
            .map_err(not_absence)?;
        let read = Arc::new(read);
        self.types.lock().insert(id.to_owned(), Arc::clone(&read));
        Ok(read)
    }

    /// Leaves at the server what makes the next session cheaper, and signs out. Both may fail: the
    /// server ends sessions by itself.
    pub(crate) async fn close(&self) {
        self.metadata.save(&self.api).await.ok();
        let request = self.api.request(Method::POST, "/auth/logout.json");
        self.api.send("Logout", request, check).await.ok();
    }
}
