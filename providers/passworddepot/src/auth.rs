//! The sign-in of a user. The server gives a client id and a token, which go into two headers of every
//! request; both belong to one connection's identity and to nobody else.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::auth::{Authenticator, Request};
use lockstep_provider_kit::{Rest, Scheme, Session};
use serde::Deserialize;

use crate::error;
use crate::spec::PassworddepotSpec;

/// The server does not say how long a token lives.
const LIFE: u64 = 600;
/// Between client id and token while they are kept as one value; neither has a line break.
const SEPARATOR: char = '\n';

/// Signs requests with both headers.
pub(crate) struct Signed(pub(crate) Arc<Session>);

#[derive(Deserialize)]
struct SignedIn {
    #[serde(default)]
    client_id: String,
    #[serde(default)]
    access_token: String,
}

/// A session of the user.
pub(crate) async fn connect(spec: &PassworddepotSpec, rest: &Rest) -> Result<Session> {
    let (user, password) = user(spec, rest.ctx()).await?;
    let key = Fingerprint::of([
        b"passworddepot".as_slice(),
        rest.base().as_str().as_bytes(),
        user.expose(),
        password.expose(),
    ]);
    let anonymous = rest.clone();
    let login = move || {
        let (user, password, rest) = (user.clone(), password.clone(), anonymous.clone());
        async move { login(&user, &password, &rest).await }
    };
    // The scheme is not used: [`Signed`] sets the headers.
    Ok(Session::new(rest.ctx(), key, Scheme::BEARER, login))
}

async fn user(spec: &PassworddepotSpec, ctx: &Ctx) -> Result<(SecretValue, SecretValue)> {
    let selector = &spec.auth.secret_ref.credentials;
    let refused = |text: &str| Err(Error::invalid_spec(text));
    if selector.name.as_deref().unwrap_or_default().is_empty() {
        return refused("credentials are empty");
    }
    if ctx.store().namespace.is_none() && selector.namespace.is_none() {
        return refused("invalid clusterStore missing SAK namespace");
    }
    let secret = ctx.labelled_secret(selector).await;
    let secret = secret.map_err(|error| error.context("couldn't find secret on cluster"))?;
    let part = |key: &str| secret.data.get(key).filter(|value| !value.is_empty());
    match (part("username"), part("password")) {
        (Some(user), Some(password)) => Ok((user.clone(), password.clone())),
        _ => refused("missing credentials while setting auth"),
    }
}

async fn login(user: &SecretValue, password: &SecretValue, rest: &Rest) -> Result<AccessToken> {
    let request = rest.get("/login");
    let request = request.secret_header("user", user);
    let request = request.secret_header("pass", password);
    let signed_in = async {
        let answer = rest.send("Login", request, error::check).await?;
        answer.json::<SignedIn>()
    };
    let signed_in = signed_in.await.map_err(|error| {
        let error = error.context("error: failed to unmarshal response body");
        error.context("failed to login")
    })?;
    let SignedIn {
        client_id,
        access_token,
    } = signed_in;
    let pair = SecretValue::from(format!("{client_id}{SEPARATOR}{access_token}"));
    Ok(AccessToken::lasting(pair, LIFE, rest.ctx().now()))
}

impl Authenticator for Signed {
    fn authorize<'a>(
        &'a self,
        request: &'a mut Request,
    ) -> BoxFuture<'a, Result<Option<SecretValue>>> {
        async move {
            let pair = self.0.token().await?;
            let both = pair.expose_utf8()?;
            let (client, token) = both.split_once(SEPARATOR).unwrap_or(("", both));
            Scheme::header("access_token").apply(request, &token.into())?;
            Scheme::header("client_id").apply(request, &client.into())?;
            Ok(Some(pair))
        }
        .boxed()
    }

    fn forget(&self, refused: &SecretValue) {
        self.0.drop_token(refused);
    }
}
