//! From the spec's `auth` to basic authorization: a token of Doppler as the user name, its own or one
//! that Doppler gives for a ServiceAccount token.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::auth::{Authenticator, Scheme, StaticHeader, basic_credential};
use lockstep_provider_kit::credential::exchange_token;
use lockstep_provider_kit::error::described;
use lockstep_provider_kit::{Rest, Session, with_default_key};
use serde::Deserialize;
use serde_json::json;

use crate::spec::{Auth, OidcConfig};

/// Credentials, and what tells them from others'.
pub(crate) struct Credentials {
    pub(crate) auth: Arc<dyn Authenticator>,
    pub(crate) fingerprint: Fingerprint,
}

#[derive(Deserialize)]
struct Exchanged {
    #[serde(default)]
    success: bool,
    #[serde(default)]
    token: String,
    #[serde(default)]
    expires_at: String,
}

/// Resolves the credentials; an exchange is made at once, so that a refusal shows here.
pub(crate) async fn connect(auth: &Auth, rest: &Rest) -> Result<Credentials> {
    let ctx = rest.ctx();
    let base = rest.base().as_str();
    if let Some(given) = &auth.secret_ref {
        let selector = with_default_key(&given.doppler_token, "dopplerToken");
        let token = ctx.secret(&selector).await?;
        let parts = [b"doppler token", base.as_bytes(), token.expose()];
        return Ok(Credentials {
            fingerprint: Fingerprint::of(parts),
            auth: Arc::new(StaticHeader::basic(&token, &SecretValue::default())),
        });
    }
    let Some(config) = &auth.oidc_config else {
        return Err(Error::invalid_spec(
            "no authentication method configured: either secretRef or oidcConfig must be specified",
        ));
    };
    let (session, fingerprint) = exchange(config, rest);
    let signed_in = session.token().await;
    signed_in.map_err(|error| error.context("failed to get OIDC token"))?;
    Ok(Credentials {
        auth: Arc::new(session),
        fingerprint,
    })
}

/// A session of one store: the audience names the store, so another store has another identity.
fn exchange(config: &OidcConfig, rest: &Rest) -> (Session, Fingerprint) {
    let ctx = rest.ctx();
    let store = ctx.store();
    let audience = match &store.namespace {
        Some(namespace) => format!("secretStore:{namespace}:{}", store.name),
        None => format!("clusterSecretStore:{}", store.name),
    };
    let account = &config.service_account_ref;
    let audiences = account.audiences.clone().unwrap_or_default().join("\n");
    // Without a namespace a cluster store means the caller's.
    let home = account
        .namespace
        .clone()
        .or_else(|| ctx.scope().home().map(str::to_owned));
    let fingerprint = Fingerprint::of([
        "doppler exchange",
        rest.base().as_str(),
        &config.identity,
        &account.name,
        &home.unwrap_or_default(),
        &audiences,
        &audience,
    ]);
    let (config, rest) = (config.clone(), rest.clone());
    let login = move || {
        let (config, rest, audience) = (config.clone(), rest.clone(), audience.clone());
        async move { login(&config, &rest, audience).await }
    };
    let scheme = Scheme::authorization("Basic ", "");
    (Session::new(ctx, fingerprint, scheme, login), fingerprint)
}

async fn login(config: &OidcConfig, rest: &Rest, audience: String) -> Result<AccessToken> {
    let ctx = rest.ctx();
    let seconds = config.expiration_seconds.unwrap_or_default();
    let seconds = u64::try_from(seconds).unwrap_or_default().max(600);
    let account = &config.service_account_ref;
    let base = rest.base().as_str();
    let life = Duration::from_secs(seconds);
    let token = exchange_token(ctx, account, base, &[audience], life).await;
    let token = token.map_err(|error| {
        error.context(format!(
            "failed to create service account token: failed to create token for service account {}",
            account.name
        ))
    })?;
    let body = json!({ "identity": config.identity, "token": token.expose_utf8()? });
    let request = rest.post("/v3/auth/oidc").json(&body);
    let answer = rest.send("ExchangeToken", request, check).await?;
    let exchanged: Exchanged = answer.json()?;
    if !exchanged.success || exchanged.token.is_empty() {
        let text = "Doppler OIDC auth failed";
        return Err(Error::new(ErrorKind::Unauthenticated, text));
    }
    let expires: Timestamp = exchanged.expires_at.parse().map_err(|_| {
        Error::invalid_data("failed to parse expiration time: Doppler gave no RFC 3339 time")
    })?;
    let token = SecretValue::from(exchanged.token);
    Ok(AccessToken {
        value: basic_credential(&token, &SecretValue::default()),
        expires,
    })
}

fn check(answer: Answer) -> Result<Answer> {
    described(answer, |answer| {
        let status = answer.status().as_u16();
        let message = answer.detail("/messages/0").unwrap_or_default();
        format!("Doppler OIDC auth failed with status {status}: {message}")
    })
}
