//! Entries as the server gives them, and the fields of each kind of credential under the names that
//! users know. Empty fields are left out.

use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value, json};

const CREDENTIAL: &str = "Credential";
const FOLDER: &str = "Folder";

/// Kinds of folders that the server's client knows.
const FOLDERS: [&str; 16] = [
    "Company",
    "Credentials",
    "Customer",
    "Database",
    "Device",
    "Domain",
    "Folder",
    "Identity",
    "MacroScriptTools",
    "Printer",
    "Server",
    "Site",
    "SmartFolder",
    "Software",
    "Team",
    "Workstation",
];

/// Fields by kind of credential: the name that users know and the member at the server.
const KINDS: [(&str, &[(&str, &str)]); 6] = [
    (
        "Default",
        &[
            ("username", "username"),
            ("password", "password"),
            ("domain", "domain"),
        ],
    ),
    ("AccessCode", &[("password", "password")]),
    (
        "ApiKey",
        &[
            ("api-id", "apiId"),
            ("api-key", "apiKey"),
            ("tenant-id", "tenantId"),
        ],
    ),
    (
        "AzureServicePrincipal",
        &[
            ("client-id", "clientId"),
            ("client-secret", "clientSecret"),
            ("tenant-id", "tenantId"),
        ],
    ),
    (
        "ConnectionString",
        &[("connection-string", "connectionString")],
    ),
    (
        "PrivateKey",
        &[
            ("username", "privateKeyOverrideUsername"),
            ("password", "privateKeyOverridePassword"),
            ("private-key", "privateKeyData"),
            ("public-key", "publicKeyData"),
            ("passphrase", "privateKeyPassPhrase"),
        ],
    ),
];

/// An entry of a vault.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Entry {
    pub(crate) id: String,
    name: String,
    pub(crate) path: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) sub_type: String,
    description: Option<String>,
    tags: Option<Vec<String>>,
    data: Option<Map<String, Value>>,
}

impl Entry {
    /// Whether it is a credential of a kind that can be read.
    pub(crate) fn is_credential(&self) -> bool {
        self.kind == CREDENTIAL && self.fields().is_some()
    }

    /// The entry, if it is of a kind that the server's client knows.
    pub(crate) fn known(self) -> Result<Self> {
        let folder = self.kind == FOLDER && FOLDERS.contains(&self.sub_type.as_str());
        if folder || self.is_credential() {
            return Ok(self);
        }
        let (kind, sub_type) = (&self.kind, &self.sub_type);
        Err(Error::invalid_data(format!(
            "unsupported entry type/subtype: {kind}/{sub_type}"
        )))
    }

    /// Its fields with a value, its id and its name.
    pub(crate) fn members(&self) -> Result<SecretMap> {
        self.check_kind()?;
        let fields = self.fields().unwrap_or_default();
        let mut members = SecretMap::new();
        members.insert("entry-id", SecretValue::from(self.id.as_str()));
        members.insert("entry-name", SecretValue::from(self.name.as_str()));
        for (name, member) in fields {
            let value = self.data.as_ref().and_then(|data| data.get(*member));
            match value {
                None | Some(Value::Null) => {}
                Some(Value::String(text)) if text.is_empty() => {}
                Some(Value::String(text)) => {
                    members.insert(*name, SecretValue::from(text.as_str()));
                }
                Some(_) => {
                    return Err(Error::invalid_data(format!(
                        "failed to get entry: failed to unmarshal response body: \
                         failed to unmarshal entry data: field {member} is no text"
                    )));
                }
            }
        }
        Ok(members)
    }

    /// The body of an update that sets the password. Other members of the data stay; empty ones are
    /// left out, as the server's own client does.
    pub(crate) fn with_password(&self, password: &SecretValue) -> Result<Value> {
        self.check_kind()?;
        if !matches!(self.sub_type.as_str(), "Default" | "AccessCode") {
            let kind = &self.sub_type;
            return Err(Error::invalid_spec(format!(
                "cannot set secret for credential subtype ({kind})"
            )));
        }
        let mut data = self.data.clone().unwrap_or_default();
        data.retain(|_, value| !value.is_null() && value.as_str() != Some(""));
        data.insert("password".to_owned(), json!(password.expose_utf8()?));
        Ok(json!({
            "name": self.name,
            "description": self.description.as_deref().unwrap_or_default(),
            "path": self.path.as_deref().unwrap_or_default(),
            "tags": self.tags,
            "data": data,
        }))
    }

    fn fields(&self) -> Option<&'static [(&'static str, &'static str)]> {
        let mut kinds = KINDS.iter();
        let found = kinds.find(|(kind, _)| *kind == self.sub_type);
        found.map(|(_, fields)| *fields)
    }

    fn check_kind(&self) -> Result<()> {
        if self.kind == CREDENTIAL {
            return Ok(());
        }
        let kind = &self.kind;
        Err(Error::invalid_data(format!(
            "unsupported entry type ({kind}). Only {CREDENTIAL} is supported"
        )))
    }
}

/// Several entries of one name, with what tells them apart.
pub(crate) fn ambiguous(name: &str, entries: &[Entry]) -> Error {
    let shown = entries.iter().take(10).map(|entry| {
        let path = entry.path.as_deref().unwrap_or_default();
        format!("  {} (path={path:?}, type={})", entry.id, entry.kind)
    });
    let shown: Vec<String> = shown.collect();
    Error::invalid_spec(format!(
        "found {} credential entries named {name:?}; use the entry UUID to select one:\n{}",
        entries.len(),
        shown.join("\n")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: &str, data: Value) -> Entry {
        let entry = json!({
            "id": "e", "name": "n", "path": "", "type": "Credential", "subType": kind, "data": data,
        });
        serde_json::from_value(entry).unwrap()
    }

    #[test]
    fn each_kind_has_its_fields_and_empty_ones_are_left_out() {
        let data = json!({"clientId": "c", "clientSecret": "s", "tenantId": ""});
        let members = entry("AzureServicePrincipal", data).members().unwrap();

        let names: Vec<_> = members.keys().collect();
        assert_eq!(
            names,
            ["client-id", "client-secret", "entry-id", "entry-name"]
        );
    }

    #[test]
    fn another_kind_is_named_and_its_data_is_not() {
        let magic = entry("Magic", json!({"x": "hunter2"}));
        let mut folder = entry("Folder", json!({}));
        folder.kind = FOLDER.to_owned();

        let error = magic.known().err().unwrap();
        let want = "unsupported entry type/subtype: Credential/Magic";
        assert_eq!(error.to_string(), want);
        let error = folder.known().unwrap().members().unwrap_err();
        let want = "unsupported entry type (Folder). Only Credential is supported";
        assert_eq!(error.to_string(), want);
    }

    #[test]
    fn a_push_sets_the_password_and_keeps_the_rest() {
        let data = json!({"username": "u", "password": "old", "domain": ""});

        let body = entry("Default", data).with_password(&"new".into()).unwrap();

        assert_eq!(body["data"], json!({"username": "u", "password": "new"}));
        let error = entry("ApiKey", json!({})).with_password(&"new".into());
        let text = error.unwrap_err().to_string();
        assert_eq!(text, "cannot set secret for credential subtype (ApiKey)");
    }
}
