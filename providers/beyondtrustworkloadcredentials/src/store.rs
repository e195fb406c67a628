//! A connection as the rest of the program sees it: secrets by name, their members, and searches. Writing is
//! refused, in upstream's words.

use lockstep_provider_api::json::{Value, decode, marshal_escaped};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::missing;

use crate::api::Api;
use crate::find;

/// A connection to a site.
pub struct BeyondtrustworkloadcredentialsStore {
    api: Api,
    folder: String,
}

impl BeyondtrustworkloadcredentialsStore {
    pub(crate) fn new(api: Api, folder: String) -> Self {
        Self { api, folder }
    }

    /// All members of a secret as JSON: sorted, HTML escapes, shortest numbers.
    async fn whole(&self, name: &str) -> Result<SecretValue> {
        let secret = self.api.secret(&self.folder, name).await.map_err(|error| {
            if error.kind() == &ErrorKind::NotFound {
                return Error::not_found();
            }
            error.context("failed to get secret")
        })?;
        let secret = secret.ok_or_else(|| Error::invalid_data("secret value is nil"))?;
        let members = Value::Object(secret.members);
        Ok(SecretValue::from(marshal_escaped(&members)))
    }
}

/// A member as a value: texts are themselves, everything else is JSON.
pub(crate) fn member(value: &Value) -> SecretValue {
    match value {
        Value::String(text) => SecretValue::from(text.as_str()),
        other => SecretValue::from(marshal_escaped(other)),
    }
}

fn wanted(whole: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    let Some(property) = reference.wanted_property() else {
        return Ok(whole.clone());
    };
    let members = members(whole, reference)?;
    let found = members.get(property).cloned();
    found.ok_or_else(|| missing(format!("property {property} not found in secret")))
}

fn members(whole: &SecretValue, _: &RemoteRef) -> Result<SecretMap> {
    let Value::Object(members) = decode(whole)? else {
        return Err(Error::invalid_data("secret value is nil"));
    };
    let members = members.iter();
    Ok(members
        .map(|(name, value)| (name.clone(), member(value)))
        .collect())
}

impl Store for BeyondtrustworkloadcredentialsStore {
    /// The version is not looked at.
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        wanted(&self.whole(&reference.key).await?, reference)
    }

    /// The property is not looked at.
    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.whole(&reference.key).await?, reference)
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        let reference = read.reference()?;
        Some(Read::Value(RemoteRef::key(&reference.key)))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let value = |whole: &SecretValue, reference: &RemoteRef| match read {
            Read::Map(_) => Ok(whole.clone()),
            _ => wanted(whole, reference),
        };
        read.extract_from_value(containing, value, members)
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        find::find(&self.api, &self.folder, find).await
    }

    async fn push(&self, _item: &PushItem) -> Result<Pushed> {
        Err(Error::unsupported("not implemented: PushSecret"))
    }

    async fn delete(&self, _target: &PushTarget) -> Result<()> {
        Err(Error::unsupported("not implemented: DeleteSecret"))
    }

    async fn exists(&self, _target: &PushTarget) -> Result<bool> {
        Err(Error::unsupported("not implemented: SecretExists"))
    }

    async fn check(&self) -> Check {
        match self.api.check().await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_is_a_member_and_no_path() {
        let whole = SecretValue::from(r#"{"a.b":"1","n":5432,"o":{"x":"<"},"z":null}"#);
        let of = |property: &str| wanted(&whole, &RemoteRef::key("k").property(property));

        assert_eq!(of("a.b").unwrap(), "1".into());
        assert_eq!(of("n").unwrap(), "5432".into());
        assert_eq!(of("o").unwrap(), r#"{"x":"\u003c"}"#.into());
        assert_eq!(of("z").unwrap(), "null".into());
    }

    #[test]
    fn a_missing_property_deletes_nothing() {
        let reference = RemoteRef::key("k").property("none");

        let error = wanted(&"{}".into(), &reference).unwrap_err();

        assert_eq!(error.to_string(), "property none not found in secret");
        assert!(!error.consequence().absent);
    }
}
