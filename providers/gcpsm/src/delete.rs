//! Deleting what was pushed, and asking whether it is there. Only what is ours is deleted, and of a
//! secret that holds more than the pushed property only that property.

use lockstep_provider_api::json::json_object;
use lockstep_provider_api::locks::Locks;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property::{self, Dots};

use crate::api::Version;
use crate::managed;
use crate::read::newest;
use crate::state::LATEST;
use crate::store::Connection;

impl Connection {
    pub(crate) async fn remove(&self, target: &PushTarget) -> Result<()> {
        let key = &target.remote_key;
        let name = self.api.secret_name(key)?;
        let lock = self.api.ctx().shared::<Locks>().of(&name);
        let _held = lock.lock().await;
        let secret = match self.api.secret(key).await {
            Ok(secret) => secret,
            Err(failure) if failure.is_missing() => return Ok(()),
            Err(failure) => return Err(failure.error),
        };
        // Somebody else's stays; upstream says nothing about it either.
        if !managed::is_ours(&secret.labels) {
            return Ok(());
        }
        if let Some(property) = target.wanted_property()
            && self.removed_property(key, property).await?
        {
            return Ok(());
        }
        match self.api.delete(key, secret.etag.as_deref()).await {
            Err(failure) if !failure.is_missing() => Err(failure.error),
            _ => Ok(()),
        }
    }

    /// Takes one property out; `false` when nothing else would be left.
    async fn removed_property(&self, key: &str, property: &str) -> Result<bool> {
        let Some(value) = self.current(key).await? else {
            return Ok(false);
        };
        if property::find(&value, property, Dots::Raw).is_none() {
            return Ok(true);
        }
        let left = property::remove(&value, property)?;
        if json_object(&left).is_ok_and(|members| members.is_empty()) {
            return Ok(false);
        }
        self.api.add_version(key, &left).await?;
        Ok(true)
    }

    /// Whether an enabled version is there, and the property in it where one is wanted.
    pub(crate) async fn is_there(&self, target: &PushTarget) -> Result<bool> {
        let key = &target.remote_key;
        let versions = match self.api.enabled_versions(key).await {
            Ok(versions) => versions,
            Err(failure) if failure.is_missing() => return Ok(false),
            Err(failure) => return Err(failure.error),
        };
        let newest = newest(versions);
        let Some(property) = target.wanted_property() else {
            return match newest {
                Some(_) => Ok(true),
                // Without a version it is missing; with disabled ones only, nobody can tell.
                None => Ok(self.current(key).await?.is_some()),
            };
        };
        let version = newest.as_ref().map_or(LATEST, Version::number);
        match self.api.access(key, version).await {
            Ok(value) => Ok(property::find(&value, property, Dots::EscapedThenRaw).is_some()),
            Err(failure) if failure.is_missing() => Ok(false),
            Err(failure) => Err(failure.error),
        }
    }
}
