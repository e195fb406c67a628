//! Deleting what was pushed, and asking whether it is there. Only what is ours is deleted, and of a
//! secret that holds more than the pushed property only that property.

use lockstep_provider_api::locks::Locks;
use lockstep_provider_api::prelude::*;

use crate::api::Kv;
use crate::managed;
use crate::push::Checked;

impl Kv {
    pub(crate) async fn remove(&self, target: &PushTarget, checked: Checked) -> Result<()> {
        let key = &target.remote_key;
        let lock = self
            .connection
            .ctx()
            .shared::<Locks>()
            .of(&self.lock_name(key));
        let _held = lock.lock().await;
        let current = self.current(key).await?;
        let Some(data) = &current.data else {
            return Ok(());
        };
        // Somebody else's stays; upstream says nothing about it either.
        if !managed::is_ours(&current.custom) {
            return Ok(());
        }
        if let Some(property) = target.wanted_property() {
            if !data.contains_key(property) {
                return Ok(());
            }
            if data.len() > 1 {
                let mut left = data.clone();
                left.remove(property);
                return self.replace(key, left, &current, checked).await;
            }
        }
        let deleted = self.delete(key).await;
        deleted.map_err(|failure| {
            failure
                .error
                .context(format!("could not delete secret {key}"))
        })
    }

    /// Whether a readable version is there, and the property in it where one is wanted.
    pub(crate) async fn is_there(&self, target: &PushTarget) -> Result<bool> {
        let current = self.current(&target.remote_key).await?;
        let Some(data) = current.data else {
            return Ok(false);
        };
        let property = target.wanted_property();
        Ok(property.is_none_or(|property| data.contains_key(property)))
    }
}
