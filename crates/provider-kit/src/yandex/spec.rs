//! The settings of a store of Yandex Cloud, the same for each of its services. Nothing here reads a
//! credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::JsonSchema;
use serde::Deserialize;

const DEFAULT_ENDPOINT: &str = "api.cloud.yandex.net:443";

/// A service of Yandex Cloud.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct YandexSpec {
    /// Address of the cloud's API, `api.cloud.yandex.net:443` where it is not given.
    #[serde(default)]
    pub api_endpoint: Option<String>,
    /// How to sign in.
    pub auth: Auth,
    /// Whom to trust in place of the public authorities.
    #[serde(default)]
    pub ca_provider: Option<CaSecret>,
    /// What a key means: an id, or a name in a folder. An id where it is not given.
    #[serde(default)]
    pub fetching: Option<Fetching>,
}

/// How to sign in: with a key, or else as the machine that the operator runs on.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// An authorized key of a service account, JSON.
    #[serde(default)]
    pub authorized_key_secret_ref: Option<SecretKeySelector>,
}

impl Auth {
    pub(super) fn given(&self) -> Option<&SecretKeySelector> {
        let selector = self.authorized_key_secret_ref.as_ref()?;
        let name = selector.name.as_deref().unwrap_or_default();
        (!name.is_empty()).then_some(selector)
    }
}

/// Certificate authorities in a Secret.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaSecret {
    /// The authorities, PEM.
    #[serde(default)]
    pub cert_secret_ref: Option<SecretKeySelector>,
}

/// What a key means; exactly one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct Fetching {
    /// An id.
    #[serde(default, rename = "byID")]
    pub by_id: Option<EmptyPolicy>,
    /// A name in a folder.
    #[serde(default, rename = "byName")]
    pub by_name: Option<ByName>,
}

/// A policy without settings.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct EmptyPolicy {}

/// Names in one folder.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct ByName {
    /// Id of the folder.
    #[serde(rename = "folderID")]
    pub folder_id: String,
}

/// What keys of a store name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// Ids.
    ById,
    /// Names in the folder with this id.
    InFolder(String),
}

impl YandexSpec {
    /// Address of the cloud's API.
    pub(super) fn at(&self) -> &str {
        let given = self.api_endpoint.as_deref();
        given
            .filter(|at| !at.is_empty())
            .unwrap_or(DEFAULT_ENDPOINT)
    }

    /// What keys name, or why the store is refused; `service` is the vendor's name of the service.
    pub fn named(&self, service: &str) -> Result<Named> {
        let Some(fetching) = &self.fetching else {
            return Ok(Named::ById);
        };
        match (&fetching.by_name, &fetching.by_id) {
            (Some(ByName { folder_id }), _) if folder_id.is_empty() => Err(Error::invalid_spec(
                "folderID is required when fetching policy is 'byName'",
            )),
            (Some(ByName { folder_id }), _) => Ok(Named::InFolder(folder_id.clone())),
            (None, Some(_)) => Ok(Named::ById),
            (None, None) => Err(Error::invalid_spec(format!(
                "invalid {service} SecretStore: requires either 'byName' or 'byID' policy"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn named(fetching: serde_json::Value) -> Result<Named> {
        let spec = json!({"auth": {}, "fetching": fetching});
        let spec: YandexSpec = serde_json::from_value(spec).unwrap();
        spec.named("Yandex Lockbox")
    }

    #[test]
    fn keys_are_ids_unless_a_folder_is_named() {
        let folder = named(json!({"byName": {"folderID": "f1"}})).unwrap();

        assert_eq!(folder, Named::InFolder("f1".to_owned()));
        assert_eq!(named(json!({"byID": {}})).unwrap(), Named::ById);
        assert_eq!(named(json!(null)).unwrap(), Named::ById);
    }

    #[test]
    fn an_empty_policy_and_an_empty_folder_are_refused() {
        let none = named(json!({})).unwrap_err();
        let empty = named(json!({"byName": {"folderID": ""}})).unwrap_err();

        assert_eq!(
            none.to_string(),
            "invalid Yandex Lockbox SecretStore: requires either 'byName' or 'byID' policy"
        );
        assert!(empty.to_string().starts_with("folderID is required"));
    }
}
