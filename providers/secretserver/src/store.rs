//! An authenticated connection as the rest of the program sees it. Writes are in `push`.

use lockstep_provider_api::json::decode;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::read::mismatch;
use lockstep_provider_kit::dialect::is_object;
use lockstep_provider_kit::error::missing_kept;
use lockstep_provider_kit::{Members, Property};

use crate::api::Api;
use crate::secret::Secret;
use crate::{lookup, push};

const PROPERTY: Property = Property::GjsonText;
const MEMBERS: Members = Members::GoBytes;
/// A name that no secret should have: the search shows whether the credentials are good.
const PROBE: &str = "external-secrets-validation-check";

/// A connection to a Secret Server.
pub struct SecretserverStore {
    api: Api,
}

impl SecretserverStore {
    pub(crate) fn new(api: Api) -> Self {
        Self { api }
    }

    async fn read(&self, reference: &RemoteRef) -> Result<Secret> {
        if reference.wanted_version().is_some() {
            let text = "specifying a version is not supported";
            return Err(Error::unsupported(text));
        }
        let secret = lookup::first(&self.api, &reference.key).await;
        // Upstream does not see a missing secret as one.
        secret.map_err(missing_kept)
    }
}

/// The value a reference means: the whole secret, a path into its first field, or a field.
fn value(secret: &Secret, reference: &RemoteRef) -> Result<SecretValue> {
    if secret.head.items.is_empty() {
        return Err(Error::invalid_data("secret contains no fields"));
    }
    let Some(property) = reference.wanted_property() else {
        return secret.printed();
    };
    let first = secret.value(0);
    if decode(&first).is_ok() {
        match PROPERTY.extract(&first, property) {
            Err(error) if error.kind() == &ErrorKind::NotFound => {}
            found => return found,
        }
    }
    let mut items = secret.head.items.iter();
    let found = items.position(|item| item.slug == property || item.name == property);
    found
        .map(|position| secret.value(position))
        .ok_or_else(Error::not_found)
}

/// Members of a property or of the first field where that is a JSON object, else the fields.
fn members(secret: &Secret, reference: &RemoteRef) -> Result<SecretMap> {
    if let Some(property) = reference.wanted_property() {
        let value = value(secret, reference)?;
        if is_object(&value) {
            return MEMBERS.of(&value);
        }
        return Ok(SecretMap::from_iter([(property.to_owned(), value)]));
    }
    if secret.head.items.is_empty() {
        return Err(Error::invalid_data("secret contains no fields"));
    }
    let first = secret.value(0);
    if is_object(&first) {
        return MEMBERS.of(&first);
    }
    let fields = secret.head.items.iter().enumerate();
    let named = fields.map(|(position, item)| {
        let name = match (item.slug.as_str(), item.name.as_str()) {
            ("", "") if item.field > 0 => item.field.to_string(),
            ("", "") => {
                let text = "secret field has no slug, field name, or field ID";
                return Err(Error::invalid_data(text));
            }
            ("", name) => name.to_owned(),
            (slug, _) => slug.to_owned(),
        };
        Ok((name, secret.value(position)))
    });
    named.collect()
}

impl Store for SecretserverStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        value(&self.read(reference).await?, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.read(reference).await?, reference)
    }

    async fn get_raw(&self, reference: &RemoteRef) -> Result<SecretValue> {
        self.read(reference).await?.packed()
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        let reference = read.reference()?;
        Some(Read::Raw(RemoteRef {
            version: reference.wanted_version().map(str::to_owned),
            ..RemoteRef::key(&reference.key)
        }))
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        let packed = match containing {
            Ok(Payload::Value(packed)) => packed,
            Ok(Payload::Map(_)) => return Err(mismatch()),
            Err(error) => return Err(error.duplicate()),
        };
        match read {
            Read::Value(reference) => {
                value(&Secret::unpacked(packed)?, reference).map(Payload::Value)
            }
            Read::Map(reference) => {
                members(&Secret::unpacked(packed)?, reference).map(Payload::Map)
            }
            Read::Raw(_) => Ok(Payload::Value(packed.clone())),
            Read::Find(_) => Err(mismatch()),
        }
    }

    async fn find(&self, _find: &Find) -> Result<SecretMap> {
        Err(Error::unsupported(
            "getting all secrets is not supported by Delinea Secret Server",
        ))
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        push::push(&self.api, item).await
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        push::delete(&self.api, target).await
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        push::exists(&self.api, target).await
    }

    async fn check(&self) -> Check {
        match self.api.named(PROBE).await {
            Ok(_) => Check::Healthy(Health::Ready),
            Err(error) => {
                Check::Failed(error.context("failed to validate Secret Server credentials"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(first: &str) -> Secret {
        let text = serde_json::json!({"id": 7, "items": [
            {"fieldName": "Data", "slug": "data", "itemValue": first},
            {"fieldName": "Password", "slug": "pw", "itemValue": "p"},
            {"fieldId": 9, "itemValue": "n"},
        ]});
        Secret::parse(text.to_string().as_bytes()).unwrap()
    }

    fn property(first: &str, name: &str) -> Result<SecretValue> {
        value(&secret(first), &RemoteRef::key("7").property(name))
    }

    #[test]
    fn a_property_is_a_path_into_the_first_field_or_a_field() {
        let json = r#"{"a":{"b":1.50},"pw":"inner"}"#;

        assert_eq!(property(json, "a.b").unwrap(), "1.5".into());
        assert_eq!(property(json, "pw").unwrap(), "inner".into());
        assert_eq!(property(json, "Password").unwrap(), "p".into());
        assert_eq!(property("plain", "data").unwrap(), "plain".into());
    }

    #[test]
    fn a_missing_field_is_a_missing_secret() {
        assert!(property("plain", "nope").unwrap_err().consequence().absent);
    }

    #[test]
    fn members_are_those_of_an_object_or_the_fields_by_slug_name_or_id() {
        let reference = RemoteRef::key("7");
        let names = |first: &str| {
            let members = members(&secret(first), &reference).unwrap();
            members.keys().map(str::to_owned).collect::<Vec<_>>()
        };

        assert_eq!(names(r#"{"x":1}"#), ["x"]);
        assert_eq!(names("{no json"), ["9", "data", "pw"]);
        assert!(members(&Secret::default(), &reference).is_err());
    }
}
