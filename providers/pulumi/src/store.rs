//! An authenticated connection as the rest of the program sees it. The key is a path of the
//! environment; properties and versions are not looked at.

use lockstep_provider_api::json::{Value, to_secret};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::missing_kept;

use crate::api::{Api, REQUIRED, missing_member};
use crate::push;

/// A connection to a Pulumi ESC environment.
pub struct PulumiStore {
    api: Api,
}

impl PulumiStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }
}

fn unsupported(what: &str) -> Error {
    Error::unsupported(format!(
        "{what} secrets is currently not supported by Pulumi"
    ))
}

/// The value in an envelope. Envelopes without their two members are refused, as the SDK does.
fn unwrapped(member: Value) -> Result<SecretValue> {
    let Value::Object(mut envelope) = member else {
        return Err(Error::invalid_data("the member is no ESC value"));
    };
    for name in REQUIRED {
        if !envelope.contains_key(name) {
            return Err(missing_member(name));
        }
    }
    Ok(to_secret(&envelope.remove("value").unwrap_or_default()))
}

impl Store for PulumiStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let value = self.api.read(&reference.key).await.map_err(missing_kept)?;
        Ok(to_secret(&value))
    }

    /// One level of envelopes is opened, deeper ones stay; a value that is no mapping has no
    /// members, as upstream has it.
    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        let value = self.api.read(&reference.key).await.map_err(missing_kept)?;
        let Value::Object(members) = value else {
            return Ok(SecretMap::new());
        };
        let members = members.into_iter();
        members
            .map(|(name, member)| Ok((name, unwrapped(member)?)))
            .collect()
    }

    async fn find(&self, _find: &Find) -> Result<SecretMap> {
        Err(unsupported("getting all"))
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        push::push(&self.api, item).await
    }

    async fn delete(&self, _target: &PushTarget) -> Result<()> {
        Err(unsupported("deleting"))
    }

    async fn exists(&self, _target: &PushTarget) -> Result<bool> {
        // These are upstream's words, although it does push.
        Err(unsupported("pushing"))
    }

    /// Upstream asks for nothing before the first read, and a store is ready until then.
    async fn check(&self) -> Check {
        Check::Healthy(Health::Ready)
    }
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::json::decode;

    use super::*;

    #[test]
    fn a_member_is_an_envelope_with_value_and_trace() {
        let of = |json: &str| unwrapped(decode(&json.into()).unwrap());

        assert_eq!(of(r#"{"value":7,"trace":{}}"#).unwrap(), "7".into());
        assert!(of(r#"{"value":7}"#).is_err());
        assert!(of(r#""plain""#).is_err());
    }
}
