//! From the spec's `auth` to a session of an application: its id and secret are traded in for a token.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::{Rest, Scheme, Session};
use serde::Deserialize;

use crate::error;
use crate::spec::DvlsSpec;

/// The server does not say how long a token lives.
const LIFE: u64 = 600;

#[derive(Deserialize)]
struct SignedIn {
    #[serde(alias = "TokenId", alias = "tokenid", rename = "tokenId")]
    token: String,
}

/// A session of the application.
pub(crate) async fn connect(spec: &DvlsSpec, rest: &Rest) -> Result<Session> {
    let ctx = rest.ctx();
    let application = &spec.auth.secret_ref;
    let id = ctx.secret(&application.app_id).await;
    let id = id.map_err(|error| error.context("failed to get appId"))?;
    let secret = ctx.secret(&application.app_secret).await;
    let secret = secret.map_err(|error| error.context("failed to get appSecret"))?;
    let key = Fingerprint::of([
        b"dvls".as_slice(),
        rest.base().as_str().as_bytes(),
        id.expose(),
        secret.expose(),
    ]);
    let anonymous = rest.clone();
    let login = move || {
        let (id, secret, rest) = (id.clone(), secret.clone(), anonymous.clone());
        async move { login(&id, &secret, &rest).await }
    };
    let session = Session::new(ctx, key, Scheme::header("tokenid"), login);
    Ok(session)
}

async fn login(id: &SecretValue, secret: &SecretValue, rest: &Rest) -> Result<AccessToken> {
    let form = [
        ("AppKey", id.expose_utf8()?),
        ("AppSecret", secret.expose_utf8()?),
    ];
    let request = rest.post("/api/v1/login").form(&form).build()?;
    let check = error::check(request.uri());
    let answer = rest.call("Login", request, check).await;
    let answer = answer.map_err(|error| error.context("error while submitting login request"))?;
    let signed_in: SignedIn = answer.json()?;
    let token = SecretValue::from(signed_in.token);
    Ok(AccessToken::lasting(token, LIFE, rest.ctx().now()))
}
