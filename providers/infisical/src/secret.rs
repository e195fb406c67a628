//! Secrets as the server describes them, and which of a list count. A `null` is an empty text, as in
//! the SDK.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// One secret.
#[derive(Deserialize)]
pub(crate) struct Secret {
    #[serde(rename = "secretKey", default, deserialize_with = "text")]
    pub(crate) name: String,
    #[serde(rename = "secretValue", default, deserialize_with = "text")]
    pub(crate) value: String,
    #[serde(rename = "secretPath", default, deserialize_with = "text")]
    pub(crate) folder: String,
}

/// The answer to a read of one secret.
#[derive(Deserialize)]
pub(crate) struct OneSecret {
    pub(crate) secret: Secret,
}

/// The answer to a list.
#[derive(Deserialize)]
pub(crate) struct SecretList {
    secrets: Option<Vec<Secret>>,
    imports: Option<Vec<Import>>,
}

#[derive(Deserialize)]
struct Import {
    secrets: Option<Vec<Secret>>,
}

impl SecretList {
    /// The secrets by name. Of two with one name the last counts, whatever their folders are; a
    /// secret's own value wins over an imported one, and the first import over the others.
    pub(crate) fn by_name(self) -> BTreeMap<String, Secret> {
        let own = self.secrets.into_iter().flatten();
        let mut found: BTreeMap<String, Secret> =
            own.map(|secret| (secret.name.clone(), secret)).collect();
        let imports = self.imports.into_iter().flatten();
        for secret in imports.filter_map(|import| import.secrets).flatten() {
            found.entry(secret.name.clone()).or_insert(secret);
        }
        found
    }
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_secret_of_a_name_counts() {
        let secret = |folder: &str, value: &str| json!({"secretKey": "K", "secretValue": value, "secretPath": folder});
        let list = json!({
            "secrets": [secret("/app", "first"), secret("/", "last")],
            "imports": [{"secrets": [secret("/shared", "imported")]}],
        });
        let list: SecretList = serde_json::from_value(list).unwrap();

        let found = list.by_name();

        assert_eq!(
            (found["K"].value.as_str(), found["K"].folder.as_str()),
            ("last", "/")
        );
    }

    #[test]
    fn a_null_is_an_empty_text() {
        let answer = json!({"secret": {"secretKey": "K", "secretValue": null}});
        let answer: OneSecret = serde_json::from_value(answer).unwrap();

        assert_eq!(answer.secret.value, "");
    }
}
