//! `spec.provider.conjur`: its shape, its schema and the checks that need neither cluster nor
//! backend. Nothing here reads a credential.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector, ServiceAccountSelector};
use schemars::JsonSchema;
use serde::Deserialize;

/// Variables of a Conjur server.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConjurSpec {
    /// How to sign in.
    pub auth: Auth,
    /// Certificate authorities to trust, PEM or PEM in base64.
    #[serde(default)]
    pub ca_bundle: Option<String>,
    /// A Secret or ConfigMap with the certificate authorities to trust.
    #[serde(default)]
    pub ca_provider: Option<CaProvider>,
    /// Address of the server.
    pub url: String,
}

/// How to sign in; exactly one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct Auth {
    /// With the API key of a user or host.
    #[serde(default)]
    pub apikey: Option<ApiKey>,
    /// With a client certificate.
    #[serde(default)]
    pub cert: Option<Cert>,
    /// With a JSON web token.
    #[serde(default)]
    pub jwt: Option<Jwt>,
}

/// The API key of a user or host.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKey {
    /// Name of the Conjur account.
    pub account: String,
    /// The API key.
    pub api_key_ref: SecretKeySelector,
    /// The user name, `host/` before it for a host.
    pub user_ref: SecretKeySelector,
}

/// A client certificate.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cert {
    /// Name of the Conjur account.
    pub account: String,
    /// The certificate, PEM.
    pub client_cert_ref: SecretKeySelector,
    /// The key, PEM.
    pub client_key_ref: SecretKeySelector,
    /// Id of the host, where the certificate does not name it.
    #[serde(default)]
    pub host_id: Option<String>,
    /// Id of the authenticator's web service.
    #[serde(rename = "serviceID")]
    pub service_id: String,
}

/// A JSON web token.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Jwt {
    /// Name of the Conjur account.
    pub account: String,
    /// Id of the host, where the token does not name it.
    #[serde(default)]
    pub host_id: Option<String>,
    /// A Secret with the token, under the key `token` unless another is named.
    #[serde(default)]
    pub secret_ref: Option<SecretKeySelector>,
    /// A ServiceAccount to request the token for.
    #[serde(default)]
    pub service_account_ref: Option<ServiceAccountSelector>,
    /// Id of the authenticator's web service.
    #[serde(rename = "serviceID")]
    pub service_id: String,
}

impl ConjurSpec {
    /// Checks what a connection needs: namespaces alone, because upstream finds everything else at
    /// the first read.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<Warnings> {
        for selector in self.auth.selectors() {
            scope.check_referent(selector.namespace.as_deref())?;
        }
        let jwt = self.auth.jwt.as_ref();
        if let Some(account) = jwt.and_then(|jwt| jwt.service_account_ref.as_ref()) {
            scope.check_referent(account.namespace.as_deref())?;
        }
        Ok(Warnings::new())
    }

    /// Checks everything that can be checked without looking anywhere.
    pub(crate) fn admit(&self, scope: &Scope) -> Result<Warnings> {
        if self.url.is_empty() {
            return Err(Error::invalid_spec("conjur URL cannot be empty"));
        }
        self.auth.admit()?;
        self.validate(scope)
    }

    /// Checks what upstream's client does before it sends anything, in its words.
    pub(crate) fn check_client(&self) -> Result<()> {
        let (account, service) = match &self.auth {
            Auth {
                apikey: Some(key), ..
            } => (&key.account, None),
            Auth { jwt: Some(jwt), .. } => (&jwt.account, Some(("jwt", &jwt.service_id))),
            Auth {
                cert: Some(cert), ..
            } => (&cert.account, Some(("cert", &cert.service_id))),
            _ => return Err(Error::invalid_spec("no authentication method provided")),
        };
        let mut faults = Vec::new();
        if self.url.is_empty() {
            faults.push("Must specify an ApplianceURL".to_owned());
        }
        if account.is_empty() {
            faults.push("Must specify an Account".to_owned());
        }
        if let Some((kind, "")) = service.map(|(kind, id)| (kind, id.as_str())) {
            faults.push(format!("Must specify a ServiceID when using {kind}"));
        }
        let is_secure = self.url.to_ascii_lowercase().starts_with("https://");
        if self.auth.cert.is_some() && !is_secure {
            faults.push("Certificate authentication requires an HTTPS connection".to_owned());
        }
        if faults.is_empty() {
            return Ok(());
        }
        let text = format!("cannot setup new Conjur client: {}", faults.join(" -- "));
        Err(Error::invalid_spec(text))
    }
}

impl Auth {
    fn selectors(&self) -> impl Iterator<Item = &SecretKeySelector> {
        let key = self.apikey.iter();
        let key = key.flat_map(|key| [&key.user_ref, &key.api_key_ref]);
        let cert = self.cert.iter();
        let cert = cert.flat_map(|cert| [&cert.client_cert_ref, &cert.client_key_ref]);
        let jwt = self.jwt.iter().filter_map(|jwt| jwt.secret_ref.as_ref());
        key.chain(cert).chain(jwt)
    }

    fn admit(&self) -> Result<()> {
        let refused = |text: &str| Err(Error::invalid_spec(text));
        if let Some(key) = &self.apikey {
            if key.account.is_empty() {
                return refused("missing Auth.ApiKey.Account");
            }
            if is_unnamed(&key.user_ref) {
                return refused("missing Auth.Apikey.UserRef");
            }
            if is_unnamed(&key.api_key_ref) {
                return refused("missing Auth.Apikey.ApiKeyRef");
            }
        }
        if let Some(jwt) = &self.jwt {
            if jwt.account.is_empty() {
                return refused("missing Auth.Jwt.Account");
            }
            if jwt.service_id.is_empty() {
                return refused("missing Auth.Jwt.ServiceID");
            }
            if jwt.secret_ref.is_none() && jwt.service_account_ref.is_none() {
                return refused("must specify Auth.Jwt.SecretRef or Auth.Jwt.ServiceAccountRef");
            }
        }
        if let Some(cert) = &self.cert {
            if cert.account.is_empty() {
                return refused("missing Auth.Cert.Account");
            }
            if cert.service_id.is_empty() {
                return refused("missing Auth.Cert.ServiceID");
            }
        }
        if self.apikey.is_none() && self.jwt.is_none() && self.cert.is_none() {
            return refused("missing Auth.* configuration");
        }
        Ok(())
    }
}

fn is_unnamed(selector: &SecretKeySelector) -> bool {
    selector.name.as_deref().unwrap_or_default().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(auth: serde_json::Value) -> ConjurSpec {
        let spec = serde_json::json!({"url": "https://conjur.test", "auth": auth});
        serde_json::from_value(spec).unwrap()
    }

    #[test]
    fn admission_names_what_is_missing_and_a_connection_does_not_ask() {
        let scope = Scope::Cluster { caller: None };
        let refusal = |auth| {
            let spec = spec(auth);
            assert!(spec.validate(&scope).is_ok());
            spec.admit(&scope).unwrap_err().to_string()
        };

        let key = serde_json::json!({"account": "", "userRef": {"name": "c"}, "apiKeyRef": {"name": "c"}});
        assert_eq!(
            refusal(serde_json::json!({"apikey": key})),
            "missing Auth.ApiKey.Account"
        );
        let jwt = serde_json::json!({"account": "a", "serviceID": "s"});
        let text = "must specify Auth.Jwt.SecretRef or Auth.Jwt.ServiceAccountRef";
        assert_eq!(refusal(serde_json::json!({"jwt": jwt})), text);
        assert_eq!(
            refusal(serde_json::json!({})),
            "missing Auth.* configuration"
        );
    }

    #[test]
    fn a_certificate_needs_a_service_and_a_secure_connection() {
        let cert = serde_json::json!({
            "account": "a", "serviceID": "", "clientCertRef": {"name": "c"}, "clientKeyRef": {"name": "c"},
        });
        let mut spec = spec(serde_json::json!({"cert": cert}));
        spec.url = "http://conjur.test".to_owned();

        let text = spec.check_client().unwrap_err().to_string();

        let service = "Must specify a ServiceID when using cert";
        let secure = "Certificate authentication requires an HTTPS connection";
        assert_eq!(
            text,
            format!("cannot setup new Conjur client: {service} -- {secure}")
        );
    }
}
