//! `spec.provider.beyondtrust`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential; limits on what was read are in `inputs`.

use http::Uri;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::SecretOrValue;
use schemars::JsonSchema;
use serde::Deserialize;

const INVALID_URL: &str = "invalid host URL";
pub(crate) const NO_METHOD: &str =
    "no authentication method configured: set auth.apiKey, or auth.clientId and auth.clientSecret";
pub(crate) const HALF_OAUTH: &str =
    "both clientId and clientSecret must be set for OAuth authentication";
const HALF_CERTIFICATE: &str = "certificate and certificateKey must both be set for client-certificate authentication; the incomplete pair is ignored";

/// Secrets and managed accounts of a BeyondTrust Password Safe.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct BeyondtrustSpec {
    /// How to sign in.
    pub auth: Auth,
    /// The server and how it is asked.
    pub server: Server,
}

/// How to sign in: with an API key, or with client id and secret; with a client certificate beside them
/// where the server wants one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// The API key. It wins over client id and secret.
    #[serde(default)]
    pub api_key: Option<SecretOrValue>,
    /// The client certificate, PEM.
    #[serde(default)]
    pub certificate: Option<SecretOrValue>,
    /// The key of the client certificate, PEM (PKCS#8).
    #[serde(default)]
    pub certificate_key: Option<SecretOrValue>,
    /// The client id.
    #[serde(default)]
    pub client_id: Option<SecretOrValue>,
    /// The client secret.
    #[serde(default)]
    pub client_secret: Option<SecretOrValue>,
}

impl Auth {
    /// Whether a credential can only be resolved for a caller of a ClusterSecretStore.
    pub(crate) fn is_referent(&self, ctx: &Ctx) -> bool {
        let signs_in = match &self.api_key {
            Some(key) => [Some(key), None],
            None => [self.client_id.as_ref(), self.client_secret.as_ref()],
        };
        let pair = [&self.certificate, &self.certificate_key];
        let values = signs_in.into_iter().chain(pair.map(Option::as_ref));
        let mut selectors = values.flatten().filter_map(|it| it.secret_ref.as_ref());
        selectors.any(|selector| ctx.is_referent(selector.namespace.as_deref()))
    }
}

/// The server and how it is asked.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Server {
    /// Address of the API, such as `https://example.com:443/BeyondTrust/api/public/v3/`.
    pub api_url: String,
    /// Version of the API: `3.0`, `3.1` or `3.2`. A push needs one.
    #[serde(default)]
    pub api_version: Option<String>,
    /// Limit on a request, 1 to 300 seconds.
    #[serde(default)]
    pub client_time_out_seconds: Option<i64>,
    /// Whether the server decrypts values before it answers.
    #[serde(default = "decrypted")]
    pub decrypt: bool,
    /// `SECRET` for Secrets Safe; anything else means managed accounts.
    #[serde(default)]
    pub retrieval_type: Option<String>,
    /// The character between folder and title; `/` where it is empty.
    #[serde(default)]
    pub separator: Option<String>,
    /// Whether the server's certificate is checked.
    #[serde(rename = "verifyCA")]
    pub verify_ca: bool,
}

fn decrypted() -> bool {
    true
}

impl Server {
    /// Whether keys name secrets of Secrets Safe, not managed accounts.
    pub(crate) fn is_secrets_safe(&self) -> bool {
        let kind = self.retrieval_type.as_deref().unwrap_or_default();
        kind.eq_ignore_ascii_case("SECRET")
    }

    /// The separator of keys.
    pub(crate) fn separator(&self) -> &str {
        let separator = self.separator.as_deref().unwrap_or_default();
        if separator.is_empty() { "/" } else { separator }
    }

    /// The version of the API, where one is given.
    pub(crate) fn version(&self) -> Option<&str> {
        let version = self.api_version.as_deref();
        version.filter(|version| !version.is_empty())
    }
}

impl BeyondtrustSpec {
    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        let url: Option<Uri> = self.server.api_url.trim().parse().ok();
        if url.is_none_or(|url| url.scheme().is_none() || url.host().is_none_or(str::is_empty)) {
            return Err(Error::invalid_spec(INVALID_URL));
        }
        let auth = &self.auth;
        match (&auth.api_key, &auth.client_id, &auth.client_secret) {
            (Some(key), _, _) => admit_one(scope, "apiKey", key)?,
            (None, Some(id), Some(secret)) => {
                admit_one(scope, "clientId", id)?;
                admit_one(scope, "clientSecret", secret)?;
            }
            (None, None, None) => return Err(Error::invalid_spec(NO_METHOD)),
            _ => return Err(Error::invalid_spec(HALF_OAUTH)),
        }
        let pair = (&auth.certificate, &auth.certificate_key);
        for (field, value) in [("certificate", pair.0), ("certificateKey", pair.1)] {
            if let Some(value) = value {
                admit_one(scope, field, value)?;
            }
        }
        let is_half = pair.0.is_some() != pair.1.is_some();
        Ok(is_half
            .then(|| HALF_CERTIFICATE.to_owned())
            .into_iter()
            .collect())
    }
}

fn admit_one(scope: &Scope, field: &str, value: &SecretOrValue) -> Result<()> {
    let inline = value.value.as_deref().unwrap_or_default();
    if value.secret_ref.is_none() && inline.is_empty() {
        let text = format!("{field}: either secretRef or value must be set");
        return Err(Error::invalid_spec(text));
    }
    check_one(value).map_err(|error| error.context(field))?;
    let namespace = value.secret_ref.iter().map(|it| it.namespace.as_deref());
    for namespace in namespace {
        let checked = scope.check_referent(namespace);
        checked.map_err(|error| error.context(field))?;
    }
    Ok(())
}

/// Checks that a reference is complete and alone.
pub(crate) fn check_one(value: &SecretOrValue) -> Result<()> {
    let Some(selector) = &value.secret_ref else {
        return Ok(());
    };
    let is_given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
    let fault = if is_given(&value.value) {
        "cannot specify both secret reference and value"
    } else if !is_given(&selector.name) {
        "must specify a secret name"
    } else if !is_given(&selector.key) {
        "must specify a secret key"
    } else {
        return Ok(());
    };
    Err(Error::invalid_spec(fault))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn admitted(url: &str, auth: Value) -> Result<Warnings> {
        let server = json!({"apiUrl": url, "verifyCA": true});
        let spec = json!({"server": server, "auth": auth});
        let spec: BeyondtrustSpec = serde_json::from_value(spec).unwrap();
        assert!(spec.server.decrypt);
        spec.admit(&Scope::Namespaced {
            namespace: "team".to_owned(),
        })
    }

    #[test]
    fn admission_names_what_is_missing() {
        let url = "https://ps.test/BeyondTrust/api/public/v3";
        let cases = [
            ("ps", json!({"apiKey": {"value": "k"}}), INVALID_URL),
            (url, json!({}), NO_METHOD),
            (url, json!({"clientId": {"value": "i"}}), HALF_OAUTH),
            (
                url,
                json!({"apiKey": {}}),
                "apiKey: either secretRef or value must be set",
            ),
            (
                url,
                json!({"apiKey": {"value": "v", "secretRef": {"name": "n", "key": "k"}}}),
                "apiKey: cannot specify both secret reference and value",
            ),
            (
                url,
                json!({"apiKey": {"secretRef": {"key": "k"}}}),
                "apiKey: must specify a secret name",
            ),
            (
                url,
                json!({"clientId": {"value": "i"}, "clientSecret": {"secretRef": {"name": "n"}}}),
                "clientSecret: must specify a secret key",
            ),
        ];

        for (url, auth, want) in cases {
            assert_eq!(admitted(url, auth).unwrap_err().to_string(), want);
        }
    }

    #[test]
    fn half_of_a_certificate_pair_is_a_warning() {
        let url = "https://ps.test/BeyondTrust/api/public/v3";
        let auth = json!({"apiKey": {"value": "k"}, "certificate": {"value": "c"}});

        assert_eq!(admitted(url, auth).unwrap(), [HALF_CERTIFICATE]);
    }

    #[test]
    fn a_foreign_namespace_is_refused_by_its_field() {
        let url = "https://ps.test/BeyondTrust/api/public/v3";
        let selector = json!({"name": "n", "key": "k", "namespace": "other"});

        let error = admitted(url, json!({"apiKey": {"secretRef": selector}})).unwrap_err();

        assert!(error.to_string().starts_with("apiKey: namespace should"));
    }
}
