//! `spec.provider.webhook`: its shape, its schema and the checks that need no cluster. The Webhook
//! generator's spec has the same fields. Templates are parsed elsewhere, so that a bad one is reported
//! by the reads that need it.

use std::collections::BTreeMap;
use std::time::Duration;

use http::Method;
use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::duration;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector};
use schemars::JsonSchema;
use serde::Deserialize;

/// An HTTP endpoint that answers with secrets.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSpec {
    /// HTTP method; GET for reads and POST for pushes where none is given.
    #[serde(default)]
    pub method: Option<String>,
    /// Address to call, a template.
    pub url: String,
    /// Headers to send, templates.
    #[serde(default)]
    pub headers: Option<BTreeMap<String, String>>,
    /// How to sign in beside headers.
    #[serde(default)]
    pub auth: Option<Auth>,
    /// Body to send, a template.
    #[serde(default)]
    pub body: Option<String>,
    /// Longest time for a call, such as `10s`.
    #[serde(default)]
    pub timeout: Option<String>,
    /// How the answer is read.
    #[serde(default)]
    pub result: Option<WebhookResult>,
    /// Secrets that templates may use.
    #[serde(default)]
    pub secrets: Option<Vec<TemplateSecret>>,
    /// Certificate authority of the server, PEM in base64.
    #[serde(default)]
    pub ca_bundle: Option<CaBundle>,
    /// Where the certificate authority is kept.
    #[serde(default)]
    pub ca_provider: Option<CaProvider>,
}

/// Ways to sign in.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct Auth {
    /// With NTLM; not in this build.
    #[serde(default)]
    pub ntlm: Option<NtlmAuth>,
}

/// User name and password for NTLM.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NtlmAuth {
    /// Key of a Secret that holds the user name.
    pub username_secret: SecretKeySelector,
    /// Key of a Secret that holds the password.
    pub password_secret: SecretKeySelector,
}

/// How the answer is read.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookResult {
    /// JSONPath to the value, a template; the whole answer where none is given.
    #[serde(default)]
    pub json_path: Option<String>,
}

/// A Secret under the name templates use for it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateSecret {
    /// Name in templates.
    pub name: String,
    /// The Secret; it must carry the label `external-secrets.io/type: webhook`.
    pub secret_ref: SecretKeySelector,
}

impl WebhookSpec {
    /// Checks what can be checked without the cluster. A bad template is not refused, because
    /// upstream accepts the store and fails the reads.
    pub(crate) fn validate(&self) -> Result<Warnings> {
        if self.auth.is_some() {
            return Err(Error::unsupported(
                "auth.ntlm is not supported by this build; send credentials in headers",
            ));
        }
        self.method()?;
        self.timeout()?;
        Ok(Warnings::new())
    }

    /// The method given.
    pub(crate) fn method(&self) -> Result<Option<Method>> {
        let given = self.method.as_deref().filter(|method| !method.is_empty());
        given
            .map(|method| {
                method.parse().map_err(|_| {
                    Error::invalid_spec(format!("method: {method:?} is not an HTTP method"))
                })
            })
            .transpose()
    }

    /// The longest time for a call.
    pub(crate) fn timeout(&self) -> Result<Option<Duration>> {
        let Some(text) = &self.timeout else {
            return Ok(None);
        };
        let parsed = duration::Duration::parse(text);
        let parsed = parsed.map_err(|error| Error::invalid_spec(format!("timeout: {error}")))?;
        // Nothing and less than nothing mean no limit, as in Go.
        Ok(parsed.to_std().filter(|time| !time.is_zero()))
    }

    /// Every template of the spec.
    pub(crate) fn templates(&self) -> impl Iterator<Item = &str> {
        self.request_templates().chain(self.json_path())
    }

    /// The templates that requests are made of.
    pub(crate) fn request_templates(&self) -> impl Iterator<Item = &str> {
        let headers = self.headers.iter().flat_map(BTreeMap::values);
        headers
            .map(String::as_str)
            .chain([self.url.as_str()])
            .chain(self.body.as_deref())
    }

    /// The template of the path to the value.
    pub(crate) fn json_path(&self) -> Option<&str> {
        self.result.as_ref()?.json_path.as_deref()
    }
}
