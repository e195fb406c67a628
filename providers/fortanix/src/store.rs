//! A connection as the rest of the program sees it: objects by name, and members of those that are JSON objects
//! of texts. Everything else is refused, in upstream's words.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::missing;
use lockstep_provider_kit::{Members, Property};

use crate::api::Api;

const PROPERTY: Property = Property::StringMap;
const MEMBERS: Members = Members::StrictStringMap;
const NO_PUSH: &str = "pushing secrets is currently not supported";

/// A connection to an account of Fortanix.
pub struct FortanixStore {
    /// `None` for a ClusterSecretStore that is checked without a caller whose key it would take.
    api: Option<Api>,
}

impl FortanixStore {
    pub(crate) fn new(api: Option<Api>) -> Self {
        Self { api }
    }

    async fn whole(&self, name: &str) -> Result<SecretValue> {
        let api = self.api.as_ref().ok_or_else(|| {
            Error::invalid_spec("the API key has no namespace and the store has no caller yet")
        })?;
        api.read(name).await
    }
}

fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    PROPERTY.wanted(value, reference).map_err(|error| {
        if error.kind() == &ErrorKind::NotFound {
            let property = reference.wanted_property().unwrap_or_default();
            return missing(format!("unable to get value for key {property}"));
        }
        no_object(error)
    })
}

fn members(value: &SecretValue, _: &RemoteRef) -> Result<SecretMap> {
    MEMBERS.of(value).map_err(no_object)
}

fn no_object(error: Error) -> Error {
    error.context("unable to unmarshal secret, is it a valid JSON?")
}

impl Store for FortanixStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let value = self.whole(&reference.key).await?;
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

    async fn find(&self, _find: &Find) -> Result<SecretMap> {
        Err(Error::unsupported(
            "getting all secrets is currently not supported",
        ))
    }

    async fn push(&self, _item: &PushItem) -> Result<Pushed> {
        Err(Error::unsupported(NO_PUSH))
    }

    async fn delete(&self, _target: &PushTarget) -> Result<()> {
        Err(Error::unsupported(
            "deleting secrets is currently not supported",
        ))
    }

    async fn exists(&self, _target: &PushTarget) -> Result<bool> {
        Err(Error::unsupported(NO_PUSH))
    }

    /// Upstream asks nobody.
    async fn check(&self) -> Check {
        Check::Healthy(Health::Ready)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn property(value: &str, property: &str) -> Result<SecretValue> {
        wanted(&value.into(), &RemoteRef::key("db").property(property))
    }

    #[test]
    fn a_missing_property_deletes_nothing() {
        let error = property(r#"{"user":"u1"}"#, "none").unwrap_err();

        assert_eq!(error.to_string(), "unable to get value for key none");
        assert!(!error.consequence().absent);
    }

    #[test]
    fn an_object_of_other_things_than_texts_has_no_properties() {
        assert_eq!(property(r#"{"user":"u1"}"#, "user").unwrap(), "u1".into());

        let error = property(r#"{"user":"u1","port":5432}"#, "user").unwrap_err();

        let text = "unable to unmarshal secret, is it a valid JSON?: json: cannot unmarshal number";
        assert!(error.to_string().starts_with(text));
    }
}
