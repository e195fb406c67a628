//! `spec.provider.scaleway`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
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
        if self.region.is_empty() {
            return Err(Error::invalid_spec("region is required"));
        }
        if !is_uuid(&self.project_id) {
            return Err(Error::invalid_spec(
                "projectId must be a UUID, as the console shows it in the project's settings",
            ));
        }
        self.access_key.validate(scope, "accessKey")?;
        self.secret_key.validate(scope, "secretKey")?;
        Ok(Warnings::new())
    }
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
        assert!(refusal(|spec| spec.region.clear()).is_some());
        assert!(refusal(|spec| spec.project_id = "shop".to_owned()).is_some());
        assert!(refusal(|spec| spec.access_key.value = None).is_some());
        assert!(refusal(|spec| spec.secret_key.value = None).is_some());
    }
}
