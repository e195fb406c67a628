//! Reading values: the whole secret as JSON, and what of it is wanted. Pure but for the read itself.

use lockstep_provider_api::json::{
    Html, Value, decode_verbatim, json_object_int64, marshal_escaped, to_json_strings, to_secret,
};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::property::{self, Dots};

use crate::api::{Kv, Members, Words, member, number, text, words};
use crate::spec::Version;

impl Kv {
    /// The whole value or all metadata of a reference.
    pub async fn whole_of(&self, reference: &RemoteRef) -> Result<SecretValue> {
        if reference.metadata == MetadataPolicy::Fetch {
            return self.metadata_of(reference).await;
        }
        let key = &reference.key;
        match self.read(key, reference.wanted_version()).await {
            Ok(secret) => match secret.data {
                Some(members) => Ok(whole(members)),
                None if secret.state.version > 0 => Err(self.tombstone(&secret.state, key)),
                None => Err(self.absent(key).await),
            },
            Err(failure) => Err(self.explained(failure, key).await),
        }
    }

    async fn metadata_of(&self, reference: &RemoteRef) -> Result<SecretValue> {
        if self.version() == Version::V1 {
            return Err(Error::invalid_spec(
                "cannot perform metadata fetch operations with kv version v1",
            ));
        }
        match self.metadata(&reference.key).await {
            Ok(metadata) => Ok(document(&metadata)),
            Err(failure) => Err(self.explained(failure, &reference.key).await),
        }
    }
}

/// A secret as JSON.
pub fn whole(members: Members) -> SecretValue {
    SecretValue::from(marshal_escaped(&Value::Object(members)))
}

/// Metadata as one object of texts; custom metadata wins.
pub(crate) fn document(metadata: &Value) -> SecretValue {
    SecretValue::from(to_json_strings(&facts(metadata), Html::Escaped))
}

/// What find by tags and reads of metadata see.
pub(crate) fn facts(metadata: &Value) -> Words {
    let mut facts = Words::new();
    for name in ["created_time", "delete_version_after"] {
        facts.insert(name.to_owned(), text(metadata, name));
    }
    let version = member(metadata, "current_version").map_or(0, number);
    facts.insert("current_version".to_owned(), version.to_string());
    facts.extend(
        member(metadata, "custom_metadata")
            .map(words)
            .unwrap_or_default(),
    );
    facts
}

/// The value that a reference means, out of the whole one: a member of that name, else a path.
pub(crate) fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    let Some(property) = reference.wanted_property() else {
        return Ok(value.clone());
    };
    if let Some(found) = literal(value, property)? {
        return Ok(found);
    }
    if property::try_find(value, property, Dots::Raw)?.is_none() {
        return Err(no_member(property));
    }
    property::extract(value, property, Dots::Raw)
}

/// The member of that very name.
pub fn literal(value: &SecretValue, property: &str) -> Result<Option<SecretValue>> {
    let decoded = decode_verbatim(value.expose())?;
    let members = decoded.as_object();
    let found = members.and_then(|members| members.get(property));
    Ok(found.map(to_secret))
}

/// A member that is not there is an error, never absence, as upstream has it.
pub fn no_member(property: &str) -> Error {
    Error::invalid_data(format!("cannot find secret data for key: {property:?}"))
}

/// The members of a value that must be a JSON object.
pub fn members(value: &SecretValue) -> Result<SecretMap> {
    json_object_int64(value).map_err(|error| error.context("failed to unmarshall JSON"))
}

/// What a read gives, out of the outcome of the read of the whole value.
pub(crate) fn extract_from(read: &Read, containing: &Result<Payload>) -> Result<Payload> {
    read.extract_from_value(containing, wanted, |value, _| members(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str =
        r#"{"a":{"b":"nested"},"a.b":"literal","e":1e+21,"f":1.50,"i":12,"l":[1,"two"],"z":null}"#;

    fn read(property: &str) -> Result<String> {
        let found = wanted(&JSON.into(), &RemoteRef::key("x").property(property))?;
        Ok(found.expose_utf8()?.to_owned())
    }

    #[test]
    fn a_member_of_that_name_wins_over_a_path() {
        assert_eq!(read("a.b").unwrap(), "literal");
        assert_eq!(read("l.1").unwrap(), "two");
        assert_eq!(read("l.#").unwrap(), "2");
    }

    #[test]
    fn numbers_keep_their_spelling_and_null_is_empty() {
        assert_eq!(read("e").unwrap(), "1e+21");
        assert_eq!(read("f").unwrap(), "1.50");
        assert_eq!(read("i").unwrap(), "12");
        assert_eq!(read("z").unwrap(), "");
    }

    #[test]
    fn a_missing_member_is_named_and_is_no_absence() {
        let error = read("nope").unwrap_err();

        assert_eq!(
            error.to_string(),
            r#"cannot find secret data for key: "nope""#
        );
        assert!(!error.consequence().absent);
    }

    #[test]
    fn members_keep_the_digits_of_integers() {
        let json = r#"{"id":9007199254740993,"e":1e21,"list":[9007199254740993]}"#;

        let map = members(&json.into()).unwrap();

        assert_eq!(map.get("id"), Some(&"9007199254740993".into()));
        assert_eq!(map.get("e"), Some(&"1000000000000000000000".into()));
        assert_eq!(map.get("list"), Some(&"[9007199254740993]".into()));
    }
}
