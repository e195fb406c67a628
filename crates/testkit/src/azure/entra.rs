//! Microsoft Entra ID, as far as applications sign in: client credentials at the v1 and v2 endpoints
//! with a secret, a certificate or a federated token, each really checked, and the part of Graph
//! that adds federated credentials. Refusals have Entra's codes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::token::{self, Assertion};
use crate::stub::{Answer, Request};

/// Life of the tokens in seconds.
const LIFE: i64 = 3600;

/// The applications and what they are trusted with.
#[derive(Clone, Debug)]
pub struct Directory {
    /// The only tenant.
    pub tenant: String,
    /// An application with a secret, a certificate and federated credentials.
    pub client: String,
    /// Its secret.
    pub secret: String,
    /// Its certificate with key, PEM.
    pub certificate: String,
    /// A second application, without credentials.
    pub other: String,
    /// Whether the secret has expired.
    pub expired: bool,
    /// Federated credentials of the application.
    pub trusts: Vec<Trust>,
    /// Keys of issuers, as JWKS documents; of others they are fetched.
    pub keys: BTreeMap<String, Value>,
}

/// A federated credential.
#[derive(Clone, Debug)]
pub struct Trust {
    /// Who signs the tokens.
    pub issuer: String,
    /// Whom they are about.
    pub subject: String,
    /// Whom they are for.
    pub audience: String,
}

struct Refusal(u16, &'static str, String);

impl Directory {
    /// Answers the token endpoints of a tenant.
    pub(super) fn token(&self, tenant: &str, host: &str, path: &str, request: &Request) -> Answer {
        let form = super::form(&String::from_utf8_lossy(&request.body));
        match self.grant(tenant, host, path, &form) {
            Ok((token, resource)) => {
                let life = if path.contains("/v2.0/") {
                    json!(LIFE)
                } else {
                    json!(LIFE.to_string())
                };
                Answer::json(
                    200,
                    &json!({
                        "token_type": "Bearer", "access_token": token, "expires_in": life,
                        "ext_expires_in": life, "resource": resource,
                        "expires_on": (token::now() + LIFE).to_string(),
                    }),
                )
            }
            Err(Refusal(status, code, text)) => {
                // Entra's own answers end in ids and a time.
                let text = format!(
                    "{text} Trace ID: 00000000-0000-0000-0000-{:012} Correlation ID: 1 \
                    Timestamp: {}Z",
                    token::now(),
                    token::now()
                );
                let body = json!({ "error": code, "error_description": text });
                Answer::json(status, &body)
            }
        }
    }

    fn grant(
        &self,
        tenant: &str,
        host: &str,
        path: &str,
        form: &BTreeMap<String, String>,
    ) -> Result<(String, String), Refusal> {
        let field = |name: &str| form.get(name).map_or("", String::as_str);
        let client = field("client_id");
        if tenant != self.tenant {
            let text = format!("AADSTS90002: Tenant '{tenant}' not found.");
            return Err(Refusal(400, "invalid_request", text));
        }
        if client != self.client && client != self.other {
            let text = format!(
                "AADSTS700016: Application with identifier '{client}' was not found in the directory."
            );
            return Err(Refusal(400, "unauthorized_client", text));
        }
        if field("grant_type") != "client_credentials" {
            let text = "AADSTS70003: The app requested an unsupported grant type.".to_owned();
            return Err(Refusal(400, "unsupported_grant_type", text));
        }
        let resource = match form.get("resource") {
            Some(resource) => resource.as_str(),
            None => field("scope")
                .split(' ')
                .next()
                .unwrap_or("")
                .trim_end_matches("/.default"),
        };
        if !resource.starts_with("https://") {
            let text =
                format!("AADSTS500011: The resource principal named {resource} was not found.");
            return Err(Refusal(400, "invalid_resource", text));
        }
        self.prove(client, host, path, form)?;
        let resource = resource.trim_end_matches('/').to_owned();
        Ok((token::issue(tenant, client, &resource, LIFE), resource))
    }

    fn prove(
        &self,
        client: &str,
        host: &str,
        path: &str,
        form: &BTreeMap<String, String>,
    ) -> Result<(), Refusal> {
        let refused = |text: &str| Refusal(401, "invalid_client", text.to_owned());
        if let Some(secret) = form.get("client_secret") {
            if client != self.client || *secret != self.secret {
                return Err(refused("AADSTS7000215: Invalid client secret provided."));
            }
            if self.expired {
                let text = "AADSTS7000222: The provided client secret keys are expired.";
                return Err(refused(text));
            }
            return Ok(());
        }
        let text = form.get("client_assertion").ok_or_else(|| {
            refused(
                "AADSTS7000218: The request body must contain client_assertion or client_secret.",
            )
        })?;
        let bad = "AADSTS50027: JWT token is invalid or malformed.";
        let assertion = Assertion::parse(text).map_err(|_| refused(bad))?;
        if !assertion.is_current() {
            let text = "AADSTS700024: Client assertion is not within its valid time range.";
            return Err(refused(text));
        }
        if assertion.text("iss") == assertion.text("sub") {
            return self.prove_certificate(&assertion, client, host, path);
        }
        self.prove_federated(&assertion, client)
    }

    fn prove_certificate(
        &self,
        assertion: &Assertion<'_>,
        client: &str,
        host: &str,
        path: &str,
    ) -> Result<(), Refusal> {
        let endpoint = format!("https://{host}{path}");
        let is_for = assertion.is_for(&endpoint)
            || assertion.is_for(&format!("{endpoint}?api-version=1.0"))
            || assertion.is_for(&format!("https://{host}/{}/v2.0", self.tenant));
        let is_own = client == self.client && assertion.text("sub") == client;
        let verified = assertion.verify_certificate(self.certificate.as_bytes());
        if is_for && is_own && verified.is_ok() {
            return Ok(());
        }
        let text = "AADSTS700027: The certificate used to sign the client assertion is not registered on the application.";
        Err(Refusal(401, "invalid_client", text.to_owned()))
    }

    fn prove_federated(&self, assertion: &Assertion<'_>, client: &str) -> Result<(), Refusal> {
        let refused = |text: String| Refusal(401, "invalid_client", text);
        let (issuer, subject) = (assertion.text("iss"), assertion.text("sub"));
        let trusted = self.trusts.iter().any(|trust| {
            trust.issuer == issuer && trust.subject == subject && assertion.is_for(&trust.audience)
        });
        if client != self.client || !trusted {
            return Err(refused(format!(
                "AADSTS70021: No matching federated identity record found for presented assertion. \
                 Assertion Issuer: '{issuer}'. Assertion Subject: '{subject}'."
            )));
        }
        let keys = match self.keys.get(issuer) {
            Some(keys) => keys.clone(),
            None => super::issuer::keys(issuer).map_err(|error| {
                refused(format!(
                    "AADSTS50166: Request to External OIDC endpoint failed: {error:#}."
                ))
            })?,
        };
        assertion.verify_keys(&keys).map_err(|_| {
            refused("AADSTS5000117: The signature of the assertion is not valid.".to_owned())
        })
    }

    /// Adds a federated credential, as Graph does.
    pub(super) fn add_trust(&mut self, body: &[u8]) -> Answer {
        let Ok(wanted) = serde_json::from_slice::<Value>(body) else {
            return Answer::text(400, "no JSON");
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        for audience in wanted["audiences"].as_array().into_iter().flatten() {
            self.trusts.push(Trust {
                issuer: text(&wanted["issuer"]),
                subject: text(&wanted["subject"]),
                audience: text(audience),
            });
        }
        Answer::json(201, &wanted)
    }

    /// The documents by which client libraries find the endpoints.
    pub(super) fn discovery(tenant: &str, host: &str) -> Answer {
        let base = format!("https://{host}/{tenant}");
        Answer::json(
            200,
            &json!({
                "token_endpoint": format!("{base}/oauth2/v2.0/token"),
                "authorization_endpoint": format!("{base}/oauth2/v2.0/authorize"),
                "issuer": format!("{base}/v2.0"),
                "jwks_uri": format!("{base}/discovery/v2.0/keys"),
                "tenant_discovery_endpoint": format!("{base}/v2.0/.well-known/openid-configuration"),
                "metadata": [], "api-version": "1.1",
            }),
        )
    }
}
