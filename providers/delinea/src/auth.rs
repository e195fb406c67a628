//! From the client's id and secret to a session: an OAuth 2.0 grant whose token is kept for its
//! life. Credentials are resolved once a connection; nothing is sent before the first read.

use std::sync::Arc;

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::{Rest, Scheme, Session};
use serde::Deserialize;
use serde_json::json;

use crate::address::Template;
use crate::error;
use crate::spec::DelineaSpec;

struct Client {
    id: SecretValue,
    secret: SecretValue,
    path: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Granted {
    access_token: String,
    #[serde(default)]
    expires_in: u64,
}

/// The session of the spec's client at the server of `rest`.
pub(crate) async fn connect(
    spec: &DelineaSpec,
    template: &Template,
    rest: &Rest,
) -> Result<Session> {
    let ctx = rest.ctx();
    let client = Arc::new(Client {
        id: spec.client_id.resolve(ctx, "clientId").await?,
        secret: spec.client_secret.resolve(ctx, "clientSecret").await?,
        path: template.path("token", ""),
    });
    for (name, value) in [("ClientID", &client.id), ("ClientSecret", &client.secret)] {
        if value.is_empty() {
            let text = format!("Credentials.{name} must be set");
            return Err(Error::invalid_spec(text));
        }
    }
    let key = Fingerprint::of([
        b"delinea client",
        rest.base().as_str().as_bytes(),
        client.path.as_bytes(),
        client.id.expose(),
        client.secret.expose(),
    ]);
    let login = rest.clone();
    Ok(Session::new(ctx, key, Scheme::BEARER, move || {
        let (rest, client) = (login.clone(), Arc::clone(&client));
        async move { sign_in(&rest, &client).await }
    }))
}

async fn sign_in(rest: &Rest, client: &Client) -> Result<AccessToken> {
    let body = json!({
        "grant_type": "client_credentials",
        "client_id": client.id.expose_utf8()?,
        "client_secret": client.secret.expose_utf8()?,
    });
    let request = rest.post(&client.path).json(&body);
    let answer = rest.send("GetToken", request, error::check).await;
    let answer = answer.map_err(|error| error.context("fetching token"))?;
    let granted: Granted = answer.json()?;
    Ok(AccessToken::lasting(
        SecretValue::from(granted.access_token),
        granted.expires_in,
        rest.ctx().now(),
    ))
}
