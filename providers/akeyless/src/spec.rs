//! `spec.provider.akeyless`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector, ServiceAccountSelector};
use schemars::JsonSchema;
use serde::Deserialize;

/// Items of Akeyless.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AkeylessSpec {
    /// Address of the API or of a gateway; `https://api.akeyless.io` where it is empty.
    #[serde(rename = "akeylessGWApiURL")]
    pub gateway: String,
    /// How to sign in.
    pub auth_secret_ref: Auth,
    /// Certificate authorities to trust, PEM or PEM in base64.
    #[serde(default)]
    pub ca_bundle: Option<CaBundle>,
    /// A Secret or ConfigMap with the certificate authorities to trust.
    #[serde(default)]
    pub ca_provider: Option<CaProvider>,
    /// Whether the gateway's cache is passed over.
    #[serde(default)]
    pub ignore_cache: Option<bool>,
}

/// How to sign in.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Auth {
    /// With a ServiceAccount token that the gateway checks.
    pub kubernetes_auth: Option<KubernetesAuth>,
    /// With an access id and what its access type needs.
    pub secret_ref: SecretRef,
    /// The ServiceAccount of the access type `azure_ad`.
    pub service_account_ref: Option<ServiceAccountSelector>,
}

/// A ServiceAccount token that the gateway checks.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KubernetesAuth {
    /// The access id.
    #[serde(rename = "accessID")]
    pub access_id: String,
    /// Name of the configuration at the gateway.
    pub k8s_conf_name: String,
    /// A Secret with the token, under the key `token` unless another is named.
    #[serde(default)]
    pub secret_ref: Option<SecretKeySelector>,
    /// A ServiceAccount to request the token for.
    #[serde(default)]
    pub service_account_ref: Option<ServiceAccountSelector>,
}

/// An access id and what its access type needs.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SecretRef {
    /// The access id.
    #[serde(rename = "accessID")]
    pub access_id: SecretKeySelector,
    /// `api_key`, `access_key`, `aws_iam`, `azure_ad`, `gcp` or `k8s`.
    pub access_type: SecretKeySelector,
    /// The key, the object id at Azure, or the audience at Google.
    pub access_type_param: SecretKeySelector,
}

impl AkeylessSpec {
    /// Checks everything that can be checked without looking anywhere. Upstream makes these checks
    /// in its webhook alone.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        if !self.gateway.is_empty() && !has_host(&self.gateway) {
            return refused("invalid akeyless GW API URL");
        }
        match &self.auth_secret_ref.kubernetes_auth {
            Some(auth) => auth.admit(scope)?,
            None => self.auth_secret_ref.admit(scope)?,
        }
        Ok(Warnings::new())
    }
}

impl KubernetesAuth {
    fn admit(&self, scope: &Scope) -> Result<()> {
        if let Some(account) = &self.service_account_ref {
            let checked = scope.check_referent(account.namespace.as_deref());
            checked.map_err(|error| error.context("invalid Auth.Kubernetes.ServiceAccountRef"))?;
        }
        if let Some(selector) = &self.secret_ref {
            scope.check_strict(selector.namespace.as_deref())?;
        }
        if self.access_id.is_empty() {
            return refused("missing kubernetes auth-method access-id");
        }
        if self.k8s_conf_name.is_empty() {
            return refused("missing kubernetes config name");
        }
        Ok(())
    }
}

impl Auth {
    fn admit(&self, scope: &Scope) -> Result<()> {
        let given = &self.secret_ref;
        scope.check_strict(given.access_id.namespace.as_deref())?;
        if is_empty(given.access_id.name.as_deref()) {
            return refused("missing akeyless accessID name");
        }
        if is_empty(given.access_id.key.as_deref()) {
            return refused("missing akeyless accessID key");
        }
        scope.check_strict(given.access_type.namespace.as_deref())?;
        if !is_empty(given.access_type_param.name.as_deref()) {
            scope.check_strict(given.access_type_param.namespace.as_deref())?;
        }
        if let Some(account) = &self.service_account_ref {
            let checked = scope.check_referent(account.namespace.as_deref());
            checked.map_err(|error| error.context("invalid Auth.ServiceAccountRef"))?;
        }
        Ok(())
    }
}

pub(crate) fn is_empty(text: Option<&str>) -> bool {
    text.unwrap_or_default().is_empty()
}

fn has_host(url: &str) -> bool {
    let rest = url.split_once("://").map(|(_, rest)| rest);
    let host = rest.and_then(|rest| rest.split('/').next());
    host.is_some_and(|host| !host.is_empty())
}

fn refused<T>(text: &str) -> Result<T> {
    Err(Error::invalid_spec(text))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refusal(url: &str, auth: Value) -> Option<String> {
        let spec = json!({"akeylessGWApiURL": url, "authSecretRef": auth});
        let spec: AkeylessSpec = serde_json::from_value(spec).unwrap();
        let scope = Scope::Namespaced {
            namespace: "team".to_owned(),
        };
        spec.admit(&scope).err().map(|error| error.to_string())
    }

    fn keys() -> Value {
        json!({"secretRef": {"accessID": {"name": "c", "key": "id"}}})
    }

    #[test]
    fn admission_names_what_is_missing() {
        assert_eq!(refusal("", keys()), None);
        assert_eq!(refusal("https://gw.test/api", keys()), None);
        let url = refusal("nonsense", keys());
        assert_eq!(url.as_deref(), Some("invalid akeyless GW API URL"));
        let name = refusal("", json!({}));
        assert_eq!(name.as_deref(), Some("missing akeyless accessID name"));
        let kubernetes = json!({"kubernetesAuth": {"accessID": "p", "k8sConfName": ""}});
        let conf = refusal("", kubernetes);
        assert_eq!(conf.as_deref(), Some("missing kubernetes config name"));
    }

    #[test]
    fn a_foreign_namespace_is_refused_by_the_field_that_names_it() {
        let account = json!({"name": "sa", "namespace": "other"});
        let auth = json!({"kubernetesAuth": {
            "accessID": "p", "k8sConfName": "c", "serviceAccountRef": account,
        }});

        let text = refusal("", auth).unwrap();

        assert!(text.starts_with("invalid Auth.Kubernetes.ServiceAccountRef: namespace"));
    }
}
