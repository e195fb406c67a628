//! From the spec's `auth` to the header that Pulumi takes tokens in: an access token, or one that
//! Pulumi gives for a ServiceAccount token.

use std::sync::Arc;
use std::time::Duration;

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::auth::Authenticator;
use lockstep_provider_kit::credential::exchange_token;
use lockstep_provider_kit::login::oauth2_token;
use lockstep_provider_kit::{Address, Rest, Scheme, Session, StaticHeader};
use serde_json::json;

use crate::error;
use crate::spec::{OidcConfig, PulumiSpec};

const SCHEME: Scheme = Scheme::authorization("token ", "");

/// Resolves the credentials; an exchange is made at once, so that a refusal shows here.
pub(crate) async fn connect(spec: &PulumiSpec, rest: &Rest) -> Result<Arc<dyn Authenticator>> {
    if let Some(selector) = spec.token() {
        let token = rest.ctx().secret(selector).await?;
        return Ok(Arc::new(StaticHeader::new(SCHEME, token)));
    }
    let Some(config) = spec.exchange() else {
        return Err(Error::invalid_spec(
            "no authentication method configured: give auth.accessToken or auth.oidcConfig",
        ));
    };
    let session = exchange(config, rest)?;
    session.token().await?;
    Ok(Arc::new(session))
}

fn exchange(config: &OidcConfig, rest: &Rest) -> Result<Session> {
    let ctx = rest.ctx();
    let account = &config.service_account_ref;
    let audiences = account.audiences.clone().unwrap_or_default().join("\n");
    // Without a namespace a cluster store means the caller's.
    let home = account.namespace.clone();
    let home = home.or_else(|| ctx.scope().home().map(str::to_owned));
    let key = Fingerprint::of([
        "pulumi exchange",
        rest.base().as_str(),
        &config.organization,
        &account.name,
        &home.unwrap_or_default(),
        &audiences,
        &lifetime(config).to_string(),
    ]);
    let config = config.clone();
    let audience = rest.base().as_str().to_owned();
    let rest = rest.clone().at(server(rest.base())?);
    Ok(Session::new(ctx, key, SCHEME, move || {
        let (config, rest, audience) = (config.clone(), rest.clone(), audience.clone());
        async move { login(&config, &rest, &audience).await }
    }))
}

async fn login(config: &OidcConfig, rest: &Rest, audience: &str) -> Result<AccessToken> {
    let ctx = rest.ctx();
    let seconds = lifetime(config);
    let life = Duration::from_secs(seconds);
    let account = &config.service_account_ref;
    let token = exchange_token(ctx, account, audience, &[], life).await?;
    let body = json!({
        "audience": format!("urn:pulumi:org:{}", config.organization),
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
        "subject_token": token.expose_utf8()?,
        "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
        "requested_token_type": "urn:pulumi:token-type:access_token:organization",
        "expiration": seconds,
        "scope": "",
    });
    let request = rest.post("/api/oauth/token").json(&body);
    let answer = rest.send("ExchangeToken", request, error::check).await;
    let answer = answer.map_err(|error| error.context("failed to exchange the token"))?;
    oauth2_token(&answer, life, ctx.now())
}

fn lifetime(config: &OidcConfig) -> u64 {
    let seconds = config.expiration_seconds.unwrap_or_default();
    u64::try_from(seconds).unwrap_or_default().max(600)
}

/// Where tokens are exchanged: beside `/api/esc`, where the API's address ends so.
fn server(base: &Address) -> Result<Address> {
    let url = base.as_str();
    let url = url.strip_suffix("/api/esc").unwrap_or(url);
    Address::new("spec.provider.pulumi.apiUrl", url)
}
