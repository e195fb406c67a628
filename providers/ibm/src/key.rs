//! Keys of remote references: an id, a type with an id, or group, type and name. Anything else is
//! refused before a request is sent.

use lockstep_provider_api::http::encode_component;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::ids::is_uuid;

use crate::kind::Kind;

/// A key taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key<'a> {
    group: &'a str,
    /// The type as written.
    pub(crate) kind: &'a str,
    /// The id or name.
    pub(crate) name: &'a str,
}

impl<'a> Key<'a> {
    /// Takes a key apart; what has more than three parts is a name.
    pub(crate) fn parse(key: &'a str) -> Self {
        let parts: Vec<&str> = key.split('/').collect();
        let (group, kind, name) = match parts.as_slice() {
            [kind, name] => ("", *kind, *name),
            [group, kind, name] => (*group, *kind, *name),
            _ => ("", Kind::Arbitrary.name(), key),
        };
        Self { group, kind, name }
    }

    /// The type that the key names.
    pub(crate) fn kind(&self) -> Result<Kind> {
        Kind::named(self.kind)
            .ok_or_else(|| Error::invalid_spec(format!("unknown secret type {}", self.kind)))
    }

    /// Whether the secret is meant by its id.
    pub(crate) fn is_id(&self) -> bool {
        let bare = self.name.strip_prefix("urn:uuid:").unwrap_or(self.name);
        let braced = bare
            .strip_prefix('{')
            .and_then(|bare| bare.strip_suffix('}'));
        let hex = bare.len() == 32 && bare.chars().all(|c| c.is_ascii_hexdigit());
        hex || is_uuid(braced.unwrap_or(bare))
    }

    /// Where the secret is.
    pub(crate) fn path(&self) -> Result<String> {
        let name = encode_component(self.name);
        if self.is_id() {
            return Ok(format!("/api/v2/secrets/{name}"));
        }
        if self.group.is_empty() {
            let text = "failed to fetch the secret, secret group name is missing";
            return Err(Error::invalid_spec(text));
        }
        let (group, kind) = (encode_component(self.group), encode_component(self.kind));
        Ok(format!(
            "/api/v2/secret_groups/{group}/secret_types/{kind}/secrets/{name}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "11111111-2222-3333-4444-000000000000";

    #[test]
    fn a_secret_is_meant_by_id_or_by_group_type_and_name() {
        let path = |key: &str| Key::parse(key).path().unwrap();

        assert_eq!(path(ID), format!("/api/v2/secrets/{ID}"));
        assert_eq!(path(&format!("kv/{ID}")), format!("/api/v2/secrets/{ID}"));
        assert_eq!(path(&format!("g/kv/{ID}")), format!("/api/v2/secrets/{ID}"));
        assert_eq!(
            path("g/kv/my name"),
            "/api/v2/secret_groups/g/secret_types/kv/secrets/my%20name"
        );
    }

    #[test]
    fn a_name_needs_a_group() {
        for key in ["name", "kv/name", "a/b/c/d"] {
            let error = Key::parse(key).path().unwrap_err();

            assert_eq!(
                error.to_string(),
                "failed to fetch the secret, secret group name is missing"
            );
        }
    }

    #[test]
    fn an_id_may_be_written_in_every_form_of_a_uuid() {
        for id in ["11111111222233334444000000000000", &format!("{{{ID}}}")] {
            assert!(Key::parse(id).is_id(), "{id}");
        }
        assert!(!Key::parse("1111").is_id());
    }

    #[test]
    fn a_type_that_is_none_is_named() {
        let error = Key::parse("secret/x").kind().unwrap_err();

        assert_eq!(error.to_string(), "unknown secret type secret");
    }
}
