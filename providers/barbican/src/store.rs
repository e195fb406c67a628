//! A connection as the rest of the program sees it: payloads by id, and payloads of the secrets whose names
//! match. Writing is refused, in upstream's words.

use lockstep_provider_api::find::NameMatcher;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::{missing, missing_kept};
use lockstep_provider_kit::{Members, Property};

use crate::api::Api;

/// Strings keep their quotes, as in the original.
const PROPERTY: Property = Property::TopLevelRaw;
const MEMBERS: Members = Members::RawJson;
const NO_PAYLOAD: &str = "barbican client: failed to get secret payload";

/// A connection to a key manager.
pub struct BarbicanStore {
    api: Api,
}

impl BarbicanStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }

    async fn payload(&self, id: &str) -> Result<SecretValue> {
        let payload = self.api.payload(id).await.map_err(missing_kept);
        payload.map_err(|error| error.context(NO_PAYLOAD))
    }
}

fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    PROPERTY.wanted(value, reference).map_err(|error| {
        let property = reference.wanted_property().unwrap_or_default();
        let error = if error.kind() == &ErrorKind::NotFound {
            missing(format!(
                "barbican client: property {property} not found in secret payload"
            ))
        } else {
            error.context("barbican client: failed to unmarshal json")
        };
        error.context(format!(
            "barbican client: failed to get secret payload property: failed to get property {property} from secret payload"
        ))
    })
}

fn members(value: &SecretValue, _: &RemoteRef) -> Result<SecretMap> {
    let found = MEMBERS.of(value);
    found.map_err(|error| error.context("barbican client: failed to unmarshal json"))
}

fn matcher(pattern: &str) -> Result<NameMatcher> {
    NameMatcher::new(pattern).map_err(|error| {
        error.map_message(|text| {
            let usual = format!("could not compile find.name.regexp [{pattern}]: ");
            let reason = text.strip_prefix(&usual).unwrap_or(text);
            format!("barbican client: invalid name regexp {pattern:?}: {reason}")
        })
    })
}

impl Store for BarbicanStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let value = self.payload(&reference.key).await?;
        wanted(&value, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.get(reference).await?, reference)
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        read.value_read()
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        read.extract_from_value(containing, wanted, members)
    }

    /// The result is by id; several secrets may have one name.
    async fn find(&self, find: &Find) -> Result<SecretMap> {
        let name = find.name.as_deref().filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| {
            Error::invalid_spec("barbican client: missing field name and/or regexp")
        })?;
        // Without the filter more secrets would be copied than somebody asked for.
        if find.tags.is_some() || find.path.is_some() {
            return Err(Error::unsupported(
                "barbican client: secrets can be found by name alone",
            ));
        }
        let matcher = matcher(name)?;
        let listed = self.api.list().await;
        let listed =
            listed.map_err(|error| error.context("barbican client: failed to list all secrets"))?;
        let mut found = SecretMap::new();
        for secret in listed {
            if matcher.matches(secret.name.as_deref().unwrap_or_default()) {
                let id = secret.id();
                let payload = self.api.payload(id).await.map_err(missing_kept);
                let payload = payload.map_err(|error| {
                    let error =
                        error.context(format!("failed to get secret payload for secret {id}"));
                    error.context(NO_PAYLOAD)
                })?;
                found.insert(id, payload);
            }
        }
        if found.is_empty() {
            return Err(missing("barbican client: no secrets found"));
        }
        Ok(found)
    }

    async fn push(&self, _item: &PushItem) -> Result<Pushed> {
        Err(Error::unsupported(
            "barbican provider does not support pushing secrets",
        ))
    }

    async fn delete(&self, _target: &PushTarget) -> Result<()> {
        Err(Error::unsupported(
            "barbican provider does not support deleting secrets (delete policy Delete)",
        ))
    }

    async fn exists(&self, _target: &PushTarget) -> Result<bool> {
        Err(Error::unsupported(
            "barbican provider does not support checking secret existence (read-only)",
        ))
    }
}
