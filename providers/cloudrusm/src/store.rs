//! An authenticated connection as the rest of the program sees it. Properties and members are taken out of
//! the whole value.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Members, Property};

use crate::api::Api;
use crate::{error, find};

const PROPERTY: Property = Property::GjsonStrOnly;
const MEMBERS: Members = Members::TrimQuotes;

/// A connection to Secret Manager.
pub struct CloudrusmStore {
    api: Api,
}

impl CloudrusmStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }

    async fn read(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let version = reference.wanted_version().unwrap_or_default();
        self.api.read(&reference.key, version).await
    }
}

fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    let RemoteRef { key, property, .. } = reference;
    let written = property.as_deref().unwrap_or_default();
    let property = written.trim();
    if property.is_empty() {
        return Ok(value.clone());
    }
    if MEMBERS.of(value).is_err() {
        return Err(error::no_json(key, written));
    }
    let found = PROPERTY.extract(value, property);
    found.map_err(|error| match error.kind() {
        ErrorKind::NotFound => error::no_property(key, property),
        _ => error,
    })
}

/// Members are those of the whole value, whatever property is asked for.
fn members(value: &SecretValue, reference: &RemoteRef) -> Result<SecretMap> {
    let members = MEMBERS.of(value);
    members.map_err(|_| error::no_members(&reference.key))
}

impl Store for CloudrusmStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        wanted(&self.read(reference).await?, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.read(reference).await?, reference)
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        read.value_read()
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let value = |value: &SecretValue, reference: &RemoteRef| match read {
            Read::Map(_) => Ok(value.clone()),
            _ => wanted(value, reference),
        };
        read.extract_from_value(containing, value, members)
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        find::find(&self.api, find).await
    }

    async fn push(&self, _item: &PushItem) -> Result<Pushed> {
        Err(Error::unsupported("push secret is not supported"))
    }

    async fn exists(&self, _target: &PushTarget) -> Result<bool> {
        Err(Error::unsupported("secret exists is not supported"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &str = r#"{"a":"b\"c","n":5,"o":{"x":"deep"}}"#;

    fn property(value: &str, property: &str) -> Result<SecretValue> {
        let reference = RemoteRef::key("app").property(property);
        wanted(&value.into(), &reference)
    }

    #[test]
    fn a_property_is_a_string_and_everything_else_is_empty() {
        assert_eq!(property(VALUE, " a ").unwrap(), "b\"c".into());
        assert_eq!(property(VALUE, "o.x").unwrap(), "deep".into());
        assert_eq!(property(VALUE, "n").unwrap(), "".into());
        assert_eq!(property("plain", " ").unwrap(), "plain".into());
    }

    #[test]
    fn members_keep_their_escapes_and_lose_their_quotes() {
        let members = members(&VALUE.into(), &RemoteRef::key("app")).unwrap();

        assert_eq!(members.get("a"), Some(&r#"b\"c"#.into()));
        assert_eq!(members.get("n"), Some(&"5".into()));
        assert_eq!(members.get("o"), Some(&r#"{"x":"deep"}"#.into()));
    }

    #[test]
    fn what_cannot_be_taken_out_is_told_and_deletes_nothing() {
        let plain = property("hunter2", "a").unwrap_err();
        let gone = property(VALUE, "gone").unwrap_err();
        let no_map = members(&"hunter2".into(), &RemoteRef::key("app")).unwrap_err();

        assert_eq!(
            plain.to_string(),
            r#"expecting the secret "app" in JSON format, could not access property "a""#
        );
        assert_eq!(
            gone.to_string(),
            r#"the requested property "gone" does not exist in secret "app""#
        );
        assert!(!gone.consequence().absent);
        assert_eq!(
            no_map.to_string(),
            r#"expecting the secret "app" in JSON format"#
        );
    }
}
