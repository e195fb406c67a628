//! A token that ends: requested once for all connections of an identity, kept until shortly before
//! its end, dropped when the backend refuses it. What a sign-in sends is the closure's affair.

use std::future::Future;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint, TokenCache};

use crate::auth::{Authenticator, Request, Scheme};
use crate::error::not_absence;

type Login = Box<dyn Fn() -> BoxFuture<'static, Result<AccessToken>> + Send + Sync>;

/// An identity that signs in when it must.
pub struct Session {
    ctx: Ctx,
    cache: Arc<TokenCache>,
    key: Fingerprint,
    scheme: Scheme,
    login: Login,
}

impl Session {
    /// A session of the identity `key`. Make the key of the provider's name, the address and every
    /// credential the login sends, so that no identity is served another's token.
    pub fn new<F, Fut>(ctx: &Ctx, key: Fingerprint, scheme: Scheme, login: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<AccessToken>> + Send + 'static,
    {
        Self {
            ctx: ctx.clone(),
            cache: ctx.shared(),
            key,
            scheme,
            login: Box::new(move || login().boxed()),
        }
    }

    /// The token, from the cache or by a sign-in. A sign-in that fails is never absence.
    pub async fn token(&self) -> Result<SecretValue> {
        let time = self.ctx.time();
        let fetch = || self.sign_in();
        self.cache.get(self.key, &*time, fetch).await
    }

    /// Signs in without looking at the cache, and keeps nothing.
    pub async fn sign_in(&self) -> Result<AccessToken> {
        (self.login)().await.map_err(not_absence)
    }

    /// Drops a token that the backend refused.
    pub fn drop_token(&self, refused: &SecretValue) {
        self.cache.forget(self.key, refused);
    }
}

impl Authenticator for Session {
    fn authorize<'a>(
        &'a self,
        request: &'a mut Request,
    ) -> BoxFuture<'a, Result<Option<SecretValue>>> {
        async move {
            let token = self.token().await?;
            self.scheme.apply(request, &token)?;
            Ok(Some(token))
        }
        .boxed()
    }

    fn forget(&self, refused: &SecretValue) {
        self.drop_token(refused);
    }
}

impl<T: Authenticator + ?Sized> Authenticator for Arc<T> {
    fn authorize<'a>(
        &'a self,
        request: &'a mut Request,
    ) -> BoxFuture<'a, Result<Option<SecretValue>>> {
        (**self).authorize(request)
    }

    fn forget(&self, refused: &SecretValue) {
        (**self).forget(refused);
    }
}
