//! Signing with the key of a session. Token and key are kept together in the shared token cache, so that
//! all connections of an identity sign in once, and are renewed together.

use std::future::Future;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use jiff::Timestamp;
use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint, TokenCache};
use lockstep_provider_kit::auth::{Authenticator, Request};
use lockstep_provider_kit::base64::{Encoding, decode};
use lockstep_provider_kit::error::not_absence;
use lockstep_provider_kit::oci::Signer;
use serde::Deserialize;

use super::key::SessionKey;
use super::signing::{Host, sign};

type Login = Box<dyn Fn() -> BoxFuture<'static, Result<AccessToken>> + Send + Sync>;

/// An identity that signs in for a token and signs with the key that the token was made out for.
pub(super) struct KeySession {
    ctx: Ctx,
    cache: Arc<TokenCache>,
    key: Fingerprint,
    login: Login,
}

impl KeySession {
    /// A session of the identity `key`; `login` gives what [`issued`] makes.
    pub(super) fn new<F, Fut>(ctx: &Ctx, key: Fingerprint, login: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<AccessToken>> + Send + 'static,
    {
        Self {
            ctx: ctx.clone(),
            cache: ctx.shared(),
            key,
            login: Box::new(move || login().boxed()),
        }
    }

    /// Token and key, from the cache or by a sign-in. A sign-in that fails is never absence.
    pub(super) async fn held(&self) -> Result<SecretValue> {
        let time = self.ctx.time();
        let login = || async { (self.login)().await.map_err(not_absence) };
        self.cache.get(self.key, &*time, login).await
    }
}

impl Authenticator for KeySession {
    fn authorize<'a>(
        &'a self,
        request: &'a mut Request,
    ) -> BoxFuture<'a, Result<Option<SecretValue>>> {
        async move {
            let held = self.held().await?;
            let text = held.expose_utf8()?;
            let (token, pem) = text.split_once('\n').unwrap_or_default();
            let key = RsaKey::from_pem(&SecretValue::from(pem))?;
            let signer = Signer::named(format!("ST${token}"), key);
            sign(request, &signer, Host::Signed, self.ctx.now())?;
            Ok(Some(held))
        }
        .boxed()
    }

    fn forget(&self, refused: &SecretValue) {
        self.cache.forget(self.key, refused);
    }
}

#[derive(Deserialize)]
struct Claims {
    exp: i64,
}

/// A token with the key it was made out for, until the token's own end.
pub(super) fn issued(token: &str, key: &SessionKey) -> Result<AccessToken> {
    let refused = || Error::invalid_data("the session token is no JSON web token with an end");
    let claims = token.split('.').nth(1).ok_or_else(refused)?;
    let claims = claims.trim_end_matches('=').as_bytes();
    let claims = decode(Encoding::RawUrl, claims).map_err(|_| refused())?;
    let claims: Claims = serde_json::from_slice(&claims).map_err(|_| refused())?;
    let expires = Timestamp::from_second(claims.exp).map_err(|_| refused())?;
    let held = [token.as_bytes(), b"\n", key.private.expose()].concat();
    Ok(AccessToken {
        value: SecretValue::new(held),
        expires,
    })
}
