//! From the spec's `auth` to the header that Pulumi takes tokens in: an access token, or one that
//! Pulumi gives for a ServiceAccount token.

use std::sync::Arc;
use std::time::Duration;

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::auth::Authenticator;
use lockstep_provider_kit::credential::exchange_token;
use lockstep_provider_kit::error::described;
use lockstep_provider_kit::{Address, Rest, Scheme, Session, StaticHeader};
use serde::Deserialize;
use serde_json::json;

use crate::spec::{NO_METHOD, OidcConfig, PulumiSpec};

const SCHEME: Scheme = Scheme::authorization("token ", "");

#[derive(Default, Deserialize)]
#[serde(default)]
struct Exchanged {
    access_token: String,
    expires_in: i64,
}

/// Resolves the credentials; an exchange is made at once, so that a refusal shows here.
pub(crate) async fn connect(spec: &PulumiSpec, rest: &Rest) -> Result<Arc<dyn Authenticator>> {
    if let Some(selector) = spec.token() {
        let token = rest.ctx().secret(selector).await;
        let token = token.map_err(|error| error.context("cannot resolve secret key ref"))?;
        return Ok(Arc::new(StaticHeader::new(SCHEME, token)));
    }
    let Some(config) = spec.exchange() else {
        return Err(Error::invalid_spec(NO_METHOD));
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
    let rest = rest.clone().at(server(rest.base())?);
    Ok(Session::new(ctx, key, SCHEME, move || {
        let (config, rest) = (config.clone(), rest.clone());
        async move {
            let token = login(&config, &rest).await;
            token.map_err(|error| error.context("failed to get OIDC token"))
        }
    }))
}

/// Without audiences of its own the ServiceAccount token is for the server that exchanges it.
async fn login(config: &OidcConfig, rest: &Rest) -> Result<AccessToken> {
    let ctx = rest.ctx();
    let seconds = lifetime(config);
    let life = Duration::from_secs(seconds);
    let account = &config.service_account_ref;
    let token = exchange_token(ctx, account, rest.base().as_str(), &[], life).await;
    let token = token.map_err(|error| error.context("failed to create service account token"))?;
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
    let answer = rest.send("ExchangeToken", request, check).await?;
    let exchanged: Exchanged = answer.json()?;
    let refused = |text: &str| {
        Err(Error::invalid_data(format!(
            "Pulumi OIDC auth failed: {text}"
        )))
    };
    if exchanged.access_token.is_empty() {
        return refused("no access_token in response");
    }
    match u64::try_from(exchanged.expires_in) {
        Ok(seconds) if seconds > 0 => {
            let token = SecretValue::from(exchanged.access_token);
            Ok(AccessToken::lasting(token, seconds, ctx.now()))
        }
        _ => refused(&format!(
            "invalid expires_in value {}",
            exchanged.expires_in
        )),
    }
}

/// Checks an exchange; its body may hold a token, so the error has the status alone.
fn check(answer: Answer) -> Result<Answer> {
    described(answer, |answer| {
        let status = answer.status().as_u16();
        format!("Pulumi OIDC auth failed with status {status}")
    })
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
