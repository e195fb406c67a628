//! Deleting what was pushed, and asking whether it is there. Only what is ours is deleted, and of a
//! secret that holds more than the pushed property only that property.

use aws_sdk_secretsmanager::operation::describe_secret::DescribeSecretOutput;
use lockstep_provider_api::json::json_object;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property::{self, Dots};

use super::SecretsManager;
use super::attributes::replicas;
use super::lifecycle::Ending;
use super::metadata::Format;
use super::push::tags_of;
use crate::managed;

impl SecretsManager {
    pub(crate) async fn delete(&self, target: &PushTarget) -> Result<()> {
        let id = self.id(&target.remote_key)?;
        let described = match self.describe(&id).await {
            Ok(described) => described,
            Err(failure) if failure.is("ResourceNotFoundException") => return Ok(()),
            Err(failure) => return Err(failure.into()),
        };
        // Somebody else's stays; upstream says nothing about it either.
        if !managed::is_ours(&tags_of(&described)) || described.deleted_date().is_some() {
            return Ok(());
        }
        if let Some(property) = target.wanted_property()
            && self.remove_property(&id, property).await?
        {
            return Ok(());
        }
        let days = self.deletion.recovery_window_in_days;
        let ending = match days.filter(|days| *days != 0) {
            _ if self.deletion.force_delete_without_recovery == Some(true) => Ending::AtOnce,
            Some(days) => Ending::After(days),
            None => Ending::Usual,
        };
        self.delete_described(&id, &described, ending).await
    }

    /// Deletes a secret, its replicas first.
    pub(super) async fn delete_described(
        &self,
        id: &str,
        described: &DescribeSecretOutput,
        ending: Ending,
    ) -> Result<()> {
        let regions = replicas(described);
        if !regions.is_empty() {
            self.remove_replicas(id, &regions).await?;
        }
        let arn = described.arn().unwrap_or(id);
        let (forced, days) = match ending {
            Ending::AtOnce => (Some(true), None),
            Ending::After(days) => (None, Some(days)),
            Ending::Usual => (None, None),
        };
        let send = || {
            let request = self.client.delete_secret().secret_id(arn);
            let request = request.set_force_delete_without_recovery(forced);
            request.set_recovery_window_in_days(days).send()
        };
        match self.caller.call("DeleteSecret", id, send).await {
            Err(failure) if failure.is("ResourceNotFoundException") => Ok(()),
            result => result.map(drop).map_err(Error::from),
        }
    }

    /// Takes one property out; `false` when nothing else would be left.
    async fn remove_property(&self, id: &str, property: &str) -> Result<bool> {
        let stored = match self.read_raw(id, None).await {
            Ok(stored) => stored,
            Err(failure) if failure.is("ResourceNotFoundException") => return Ok(true),
            Err(failure) => return Err(failure.into()),
        };
        let format = if stored.binary.is_some() {
            Format::Binary
        } else {
            Format::Text
        };
        let Some(value) = stored.binary.or(stored.text) else {
            return Ok(true);
        };
        if property::find(&value, property, Dots::Raw).is_none() {
            return Ok(true);
        }
        let left = property::remove(&value, property)?;
        if json_object(&left).is_ok_and(|members| members.is_empty()) {
            return Ok(false);
        }
        self.put_value(id, &left, format, false).await?;
        Ok(true)
    }

    pub(crate) async fn exists(&self, target: &PushTarget) -> Result<bool> {
        let id = self.id(&target.remote_key)?;
        match self.read(&id, None).await {
            Ok(stored) => {
                let value = stored.binary.or(stored.text).unwrap_or_default();
                Ok(target
                    .wanted_property()
                    .is_none_or(|name| property::find(&value, name, Dots::Raw).is_some()))
            }
            Err(error) if *error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}
