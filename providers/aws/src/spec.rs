//! `spec.provider.aws`: its shape, its schema and the checks that need no cluster. Which identity
//! is used is decided in `auth`; nothing here reads a credential.

use std::collections::BTreeMap;

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{SecretKeySelector, ServiceAccountSelector};
use schemars::JsonSchema;
use serde::Deserialize;

mod checks;
#[cfg(test)]
mod tests;

/// AWS Secrets Manager, Parameter Store or Certificate Manager.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AwsSpec {
    /// Service of AWS to use.
    #[schemars(extend("enum" = ["SecretsManager", "ParameterStore", "CertificateManager"]))]
    pub service: String,
    /// Region of the service.
    pub region: String,
    /// How to log in; the environment of the operator when absent.
    #[serde(default)]
    pub auth: Option<Auth>,
    /// ARN of the role to take on after login.
    #[serde(default)]
    pub role: Option<String>,
    /// ARNs of roles taken on in order before role.
    #[serde(default)]
    pub additional_roles: Option<Vec<String>>,
    /// External id given when the role is taken on.
    #[serde(default, rename = "externalID")]
    pub external_id: Option<String>,
    /// Tags of the session when a role is taken on.
    #[serde(default)]
    pub session_tags: Option<Vec<SessionTag>>,
    /// Names of tags that are passed on to further roles.
    #[serde(default)]
    pub transitive_tag_keys: Option<Vec<String>>,
    /// None uses sessionTags, Simple replaces them by namespace and store, Custom adds
    /// customSessionTags.
    #[serde(default)]
    pub session_tags_policy: TagsPolicy,
    /// Tags added by the policy Custom.
    #[serde(default)]
    #[schemars(extend("x-kubernetes-validations" = [{
        "message": "customSessionTags cannot contain automatically injected reserved keys: esoNamespace, esoStoreName, esoStoreKind",
        "rule": "!('esoNamespace' in self) && !('esoStoreName' in self) && !('esoStoreKind' in self)",
    }]))]
    pub custom_session_tags: Option<BTreeMap<String, String>>,
    /// Settings for Secrets Manager.
    #[serde(default)]
    pub secrets_manager: Option<SecretsManagerSettings>,
    /// Text put in front of every remote key.
    #[serde(default)]
    pub prefix: Option<String>,
}

/// Ways to log in.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// Logs in with static credentials.
    #[serde(default)]
    pub secret_ref: Option<StaticKeys>,
    /// Logs in with a ServiceAccount that is bound to an IAM role (IRSA).
    #[serde(default)]
    pub jwt: Option<Jwt>,
}

/// Keys kept in Secrets.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct StaticKeys {
    /// Secret key that holds the access key id.
    #[serde(default, rename = "accessKeyIDSecretRef")]
    pub access_key_id: Option<SecretKeySelector>,
    /// Secret key that holds the secret access key.
    #[serde(default, rename = "secretAccessKeySecretRef")]
    pub secret_access_key: Option<SecretKeySelector>,
    /// Secret key that holds the session token of temporary credentials.
    #[serde(default, rename = "sessionTokenSecretRef")]
    pub session_token: Option<SecretKeySelector>,
}

/// A ServiceAccount that stands for an IAM role.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Jwt {
    /// ServiceAccount whose token is used.
    #[serde(default)]
    pub service_account_ref: Option<ServiceAccountSelector>,
}

/// One tag of a session.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct SessionTag {
    /// Name of the tag.
    pub key: String,
    /// Value of the tag.
    pub value: String,
}

/// Where the tags of a session come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum TagsPolicy {
    /// From `sessionTags`.
    #[default]
    None,
    /// Namespace of the caller, name and kind of the store.
    Simple,
    /// The same and `customSessionTags`.
    Custom,
}

/// How secrets are deleted.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretsManagerSettings {
    /// Deletes at once, without a recovery window.
    #[serde(default)]
    pub force_delete_without_recovery: Option<bool>,
    /// Days a deleted secret can be restored, 7 to 30.
    #[serde(default)]
    pub recovery_window_in_days: Option<i64>,
}

/// A service of AWS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    SecretsManager,
    ParameterStore,
    CertificateManager,
}

impl AwsSpec {
    pub(crate) fn service(&self) -> Result<Service> {
        Ok(match self.service.as_str() {
            "SecretsManager" => Service::SecretsManager,
            "ParameterStore" => Service::ParameterStore,
            "CertificateManager" => Service::CertificateManager,
            other => {
                let text = format!("unknown AWS Provider Service: {other}");
                return Err(Error::invalid_spec(text));
            }
        })
    }

    pub(crate) fn prefix(&self) -> &str {
        self.prefix.as_deref().unwrap_or_default()
    }

    /// Whether a credential can only be found for a caller.
    pub(crate) fn is_referent(&self, ctx: &Ctx) -> bool {
        let Some(auth) = &self.auth else {
            return false;
        };
        let jwt = auth.jwt.as_ref();
        let account = jwt.and_then(|jwt| jwt.service_account_ref.as_ref());
        if account.is_some_and(|account| ctx.is_referent(account.namespace.as_deref())) {
            return true;
        }
        let keys = auth.secret_ref.iter().flat_map(StaticKeys::selectors);
        keys.into_iter()
            .any(|(_, selector)| ctx.is_referent(selector.namespace.as_deref()))
    }
}

impl StaticKeys {
    /// The selectors that are given, with upstream's names for them.
    fn selectors(&self) -> impl Iterator<Item = (&'static str, &SecretKeySelector)> {
        let named = [
            ("AccessKeyID", &self.access_key_id),
            ("SecretAccessKey", &self.secret_access_key),
            ("SessionToken", &self.session_token),
        ];
        named
            .into_iter()
            .filter_map(|(name, selector)| Some((name, selector.as_ref()?)))
    }
}
