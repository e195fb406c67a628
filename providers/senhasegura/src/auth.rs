//! The sign-in: the client credentials of OAuth 2.0 for a token, which is kept until it ends.

use std::time::Duration;

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::Fingerprint;
use lockstep_provider_kit::login::oauth2_token;
use lockstep_provider_kit::{Rest, Scheme, Session};

use crate::error::{BAD_BODY, check, unreached};
use crate::spec::SenhaseguraSpec;

/// How long a token without an end is believed.
const DEFAULT_LIFE: Duration = Duration::from_mins(5);

/// Signs in, so that a refusal shows here.
pub(crate) async fn connect(spec: &SenhaseguraSpec, rest: &Rest) -> Result<Session> {
    let ctx = rest.ctx();
    let secret = ctx.secret(&spec.auth.client_secret_secret_ref).await?;
    let id = spec.auth.client_id.clone();
    let trust = if spec.ignore_ssl_certificate {
        "any"
    } else {
        "public"
    };
    let key = Fingerprint::of([
        b"senhasegura",
        rest.base().as_str().as_bytes(),
        trust.as_bytes(),
        id.as_bytes(),
        secret.expose(),
    ]);
    let own = rest.clone();
    let login = move || {
        let (rest, id, secret) = (own.clone(), id.clone(), secret.clone());
        async move {
            let form = [
                ("client_id", &*id),
                ("client_secret", secret.expose_utf8()?),
                ("grant_type", "client_credentials"),
            ];
            let request = rest.post("/iso/oauth2/token").form(&form);
            let answer = rest.send("GetToken", request, check).await;
            let answer = answer.map_err(unreached)?;
            let token = oauth2_token(&answer, DEFAULT_LIFE, rest.ctx().now());
            token.map_err(|error| error.map_message(|_| BAD_BODY.to_owned()))
        }
    };
    let session = Session::new(ctx, key, Scheme::BEARER, login);
    session.token().await?;
    Ok(session)
}
