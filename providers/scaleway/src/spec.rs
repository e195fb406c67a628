//! `spec.provider.scaleway`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_kit::SecretOrValue;
use lockstep_provider_kit::ids::is_uuid;
use schemars::JsonSchema;
use serde::Deserialize;

/// Secrets of a Scaleway project.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScalewaySpec {
    /// The access key, a value or a reference.
    pub access_key: SecretOrValue,
    /// Address of the API; `https://api.scaleway.com` where it is empty.
    #[serde(default)]
    pub api_url: Option<String>,
    /// Id of the project, a UUID.
    pub project_id: String,
    /// Region of the secrets, such as `fr-par`.
    pub region: String,
    /// The secret key, a value or a reference.
    pub secret_key: SecretOrValue,
}

impl ScalewaySpec {
    /// Checks everything that can be checked without looking anywhere; upstream makes these checks
    /// for every connection.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        if !is_region(&self.region) {
            return Err(Error::invalid_spec(format!(
                "invalid region: {:?}; a region is written like fr-par",
                self.region
            )));
        }
        if !is_uuid(&self.project_id) {
            return Err(Error::invalid_spec(format!(
                "invalid project id: {:?}; it is a UUID, as the console shows it in the project's settings",
                self.project_id
            )));
        }
        self.access_key.validate(scope, "accessKey")?;
        self.secret_key.validate(scope, "secretKey")?;
        Ok(Warnings::new())
    }

    /// The references to keys; a key that is a value has none.
    pub(crate) fn references(&self) -> impl Iterator<Item = &SecretKeySelector> {
        let keys = [&self.access_key, &self.secret_key];
        keys.into_iter().filter_map(|key| key.secret_ref.as_ref())
    }
}

/// Two letters of a country, three of a place.
fn is_region(text: &str) -> bool {
    let is_word =
        |word: &str, length| word.len() == length && word.bytes().all(|c| c.is_ascii_lowercase());
    let parts = text.split_once('-');
    parts.is_some_and(|(country, place)| is_word(country, 2) && is_word(place, 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(change: impl FnOnce(&mut ScalewaySpec)) -> Option<String> {
        let value = SecretOrValue {
            value: Some("v".to_owned()),
            ..SecretOrValue::default()
        };
        let mut spec = ScalewaySpec {
            access_key: value.clone(),
            api_url: None,
            project_id: "11111111-2222-4333-8444-555555555555".to_owned(),
            region: "fr-par".to_owned(),
            secret_key: value,
        };
        change(&mut spec);
        let scope = Scope::Cluster { caller: None };
        spec.validate(&scope).err().map(|error| error.to_string())
    }

    #[test]
    fn a_store_needs_region_project_and_both_keys() {
        assert_eq!(refusal(|_| {}), None);
        for region in ["", "paris", "fr-PAR", "fr-par-1"] {
            assert!(
                refusal(|spec| spec.region = region.to_owned()).is_some(),
                "{region}"
            );
        }
        assert!(refusal(|spec| spec.project_id = "shop".to_owned()).is_some());
        assert!(refusal(|spec| spec.access_key.value = None).is_some());
        assert!(refusal(|spec| spec.secret_key.value = None).is_some());
    }
}
