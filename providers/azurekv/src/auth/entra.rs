//! Sign-in of an application at Microsoft Entra ID: the client credentials grant of the v2 endpoint,
//! proved by a secret, by a certificate or by a token that Entra trusts. Neither is ever printed.

use std::time::Duration;

use jiff::Timestamp;
use lockstep_provider_api::http::{HttpClient, encode_component};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::ServiceAccountSelector;
use lockstep_provider_api::token_cache::AccessToken;
use serde::Deserialize;

use super::certificate::ClientCertificate;
use super::{assertion, refusal, within};

/// Longest time for one answer of the token endpoint.
const TIMEOUT: Duration = Duration::from_secs(10);
/// What is asked for at an audience: all that the application was given.
const DEFAULT_SCOPE: &str = "/.default";
/// What a client assertion is.
const ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// Audience of ServiceAccount tokens that Entra exchanges.
pub(super) const EXCHANGE: &str = "api://AzureADTokenExchange";
/// The API server's own default.
const TOKEN_LIFE: Duration = Duration::from_hours(1);

/// An application that signs in.
pub(super) struct Application {
    /// Host to sign in at, without a final slash.
    pub(super) authority: String,
    pub(super) tenant: String,
    pub(super) client: String,
    pub(super) proof: Proof,
}

/// How an application proves who it is.
pub(super) enum Proof {
    Secret(SecretValue),
    Certificate(Box<ClientCertificate>),
    /// The token of a ServiceAccount, made for the purpose.
    ServiceAccount(ServiceAccountSelector),
    /// A token that is kept fresh in a file of the operator's pod.
    File(String),
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    /// Seconds; old endpoints write a text.
    expires_in: serde_json::Value,
}

impl Application {
    /// A new token for an audience.
    pub(super) async fn request(
        &self,
        audience: &str,
        http: &HttpClient,
        ctx: &Ctx,
    ) -> Result<AccessToken> {
        let tenant = encode_component(&self.tenant);
        let url = format!("{}/{tenant}/oauth2/v2.0/token", self.authority);
        let (field, proof) = self.prove(&url, ctx).await?;
        let scope = if audience.ends_with(DEFAULT_SCOPE) {
            audience.to_owned()
        } else {
            format!("{}{DEFAULT_SCOPE}", audience.trim_end_matches('/'))
        };
        let mut form = vec![
            ("grant_type", "client_credentials"),
            ("client_id", self.client.as_str()),
            ("scope", scope.as_str()),
            (field, proof.expose_utf8()?),
        ];
        if field == "client_assertion" {
            form.push(("client_assertion_type", ASSERTION));
        }
        let request = http.post(&url).form(&form).accept_json();
        let answer = within(TIMEOUT, ctx, &self.authority, request.send()).await?;
        if !answer.status().is_success() {
            return Err(refusal::of_application(&answer, self));
        }
        let granted: Granted = answer.json()?;
        let life = seconds(&granted.expires_in).unwrap_or(300);
        Ok(AccessToken::lasting(
            granted.access_token.into(),
            life,
            ctx.now(),
        ))
    }

    async fn prove(&self, url: &str, ctx: &Ctx) -> Result<(&'static str, SecretValue)> {
        Ok(match &self.proof {
            Proof::Secret(secret) => ("client_secret", secret.clone()),
            Proof::Certificate(certificate) => {
                let signed = assertion::sign(certificate, &self.client, url, ctx.now())?;
                ("client_assertion", signed)
            }
            Proof::ServiceAccount(account) => {
                let audiences = [EXCHANGE.to_owned()];
                let token = ctx
                    .service_account_token(account, &audiences, TOKEN_LIFE)
                    .await;
                let token =
                    token.map_err(|error| error.context("cannot make a ServiceAccount token"))?;
                ("client_assertion", token)
            }
            Proof::File(path) => {
                let ambient = ctx.ambient().ok_or_else(refusal::no_ambient)?;
                let token = ambient.read(path)?;
                ("client_assertion", token.without_final_newline().into())
            }
        })
    }
}

/// A number of seconds, be it written as a number or as a text.
pub(super) fn seconds(value: &serde_json::Value) -> Option<u64> {
    let text = || value.as_str().and_then(|text| text.parse().ok());
    value.as_u64().or_else(text)
}

/// The life of a token whose end is given as seconds since 1970.
pub(super) fn life_until(end: &serde_json::Value, now: Timestamp) -> Option<u64> {
    let end = i64::try_from(seconds(end)?).ok()?;
    u64::try_from(end - now.as_second()).ok()
}
