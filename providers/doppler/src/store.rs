//! An authenticated connection as the rest of the program sees it. Properties and versions are not
//! looked at: a secret of Doppler is one value.

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Members, Property};
use serde_json::json;

use crate::api::Api;

const PROPERTY: Property = Property::Ignored;
const MEMBERS: Members = Members::UnquoteStrings;

/// A connection to a Doppler config.
pub struct DopplerStore {
    api: Api,
}

impl DopplerStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

fn members(value: &SecretValue, reference: &RemoteRef) -> Result<SecretMap> {
    let found = MEMBERS.of(value);
    found.map_err(|error| error.context(format!("unable to unmarshal secret {}", reference.key)))
}

impl Store for DopplerStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let value = self.api.read(&reference.key).await?;
        PROPERTY.wanted(&value, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.get(reference).await?, reference)
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        let reference = read.reference()?;
        Some(Read::Value(RemoteRef::key(&reference.key)))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        read.extract_from_value(containing, |value, _| Ok(value.clone()), members)
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        // Without the filter more secrets would be copied than somebody asked for.
        if find.tags.is_some() {
            return Err(Error::unsupported("find by tags not supported"));
        }
        let matcher = find.name.as_deref().map(NameMatcher::new).transpose()?;
        let path = find.path.as_deref().unwrap_or_default();
        let all = self.api.read_all().await?;
        let selected = all.into_iter().filter(|(name, _)| {
            matcher.as_ref().is_none_or(|m| m.matches(name)) && name.starts_with(path)
        });
        Ok(selected.collect())
    }

    /// Doppler does not say what it held, and upstream writes always.
    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        let name = &item.target.remote_key;
        let value = match item.wanted_key() {
            Some(key) => item.source.get(key).cloned().unwrap_or_default(),
            None => item.value()?,
        };
        let secrets = json!({ name: value.expose_utf8()? });
        let sent = self.api.update(("secrets", secrets)).await;
        sent.map_err(|error| error.context(format!("could not push secrets {name}")))?;
        Ok(Pushed::Updated)
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        let name = &target.remote_key;
        let change = json!([{
            "name": name,
            "originalName": name,
            "value": null,
            "shouldDelete": true,
        }]);
        let sent = self.api.update(("change_requests", change)).await;
        sent.map_err(|error| error.context(format!("could not delete secrets {name}")))
    }

    async fn check(&self) -> Check {
        match self.api.check().await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error),
        }
    }
}
