//! From the spec's `auth` to a session of Keystone, kept for all stores of the identity. The address of the
//! key manager is part of the session, so connecting signs in, as upstream does.

use futures_util::future::{BoxFuture, FutureExt as _};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::Fingerprint;
use lockstep_provider_kit::auth::Request;
use lockstep_provider_kit::{Authenticator, Rest, Scheme, Session};

use crate::keystone::{Login, parts};
use crate::spec::BarbicanSpec;

const SCHEME: Scheme = Scheme::header("x-auth-token");

/// Sends the token of a session.
pub(crate) struct Keystone(Session);

impl Keystone {
    /// Resolves the credentials of a store.
    pub(crate) async fn new(spec: &BarbicanSpec, ctx: &Ctx, rest: Rest) -> Result<Self> {
        let auth = &spec.auth;
        for selector in auth.selectors() {
            if ctx.is_referent(selector.namespace.as_deref()) {
                return Err(lacking(Error::invalid_spec(
                    "cluster scope requires namespace",
                )));
            }
        }
        let user = auth.username.resolve(ctx, "auth.username").await;
        let password = ctx.secret(&auth.password.secret_ref).await;
        let given = |field: &Option<String>| field.clone().unwrap_or_default();
        let login = Login {
            rest,
            user: user.map_err(lacking)?,
            password: password.map_err(lacking)?,
            domain: given(&spec.domain_name),
            project: given(&spec.tenant_name),
            region: given(&spec.region),
        };
        let key = Fingerprint::of([
            b"barbican".as_slice(),
            login.rest.base().as_str().as_bytes(),
            login.user.expose(),
            login.password.expose(),
            login.domain.as_bytes(),
            login.project.as_bytes(),
            login.region.as_bytes(),
        ]);
        Ok(Self(Session::new(ctx, key, SCHEME, move || {
            let login = login.clone();
            async move { login.session().await }
        })))
    }

    /// The client of the key manager, after a sign-in where there is no session yet.
    pub(crate) async fn key_manager(self, rest: Rest) -> Result<Rest> {
        let (base, _) = parts(&self.0.token().await?)?;
        Ok(rest.at(base).signed(self))
    }
}

fn lacking(error: Error) -> Error {
    error.context("barbican provider missing required field")
}

impl Authenticator for Keystone {
    fn authorize<'a>(
        &'a self,
        request: &'a mut Request,
    ) -> BoxFuture<'a, Result<Option<SecretValue>>> {
        async move {
            let session = self.0.token().await?;
            let (_, token) = parts(&session)?;
            SCHEME.apply(request, &token)?;
            Ok(Some(session))
        }
        .boxed()
    }

    fn forget(&self, refused: &SecretValue) {
        self.0.drop_token(refused);
    }
}
