//! From the store's manifest to an [`Access`]: picks the one way to sign in, fetches its credential
//! through the context and turns it into headers or a client certificate. Error texts are
//! upstream's; no credential ever appears in one.

use std::time::Duration;

use lockstep_provider_api::http::{Identity, Tls, Verification};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{SecretKeySelector, ServiceAccountSelector};

use crate::access::{Access, Login, server_url};
use crate::connection::{Auth, CertAuth, Connection, Server};
use crate::kubeconfig;
use crate::token;

/// Lifetime asked for when a ServiceAccount token is made.
const TOKEN_LIFETIME: Duration = Duration::from_hours(1);

impl Connection<'_> {
    /// Resolves the credentials of a store.
    pub async fn access(&self, ctx: &Ctx) -> Result<Access> {
        match (self.auth_ref, self.auth) {
            (Some(_), Some(_)) => Err(Error::invalid_spec(
                "authRef and inline auth cannot both be set",
            )),
            (Some(kubeconfig), None) => kubeconfig::access(&ctx.secret(kubeconfig).await?),
            (None, Some(auth)) => inline(auth, self.server, ctx).await,
            (None, None) => Err(Error::invalid_spec("no auth provider given")),
        }
    }
}

/// The ways to sign in that `auth` may name.
enum Method<'a> {
    Token(&'a SecretKeySelector),
    ServiceAccount(&'a ServiceAccountSelector),
    Cert(&'a CertAuth),
}

impl Auth {
    fn method(&self) -> Result<Method<'_>> {
        match (&self.token, &self.service_account, &self.cert) {
            (Some(token), None, None) => Ok(Method::Token(&token.bearer_token)),
            (None, Some(account), None) => Ok(Method::ServiceAccount(account)),
            (None, None, Some(cert)) => Ok(Method::Cert(cert)),
            (None, None, None) => Err(Error::invalid_spec("no auth provider given")),
            _ => Err(Error::invalid_spec(
                "multiple auth methods provided: set exactly one of Token, ServiceAccount, or Cert",
            )),
        }
    }
}

async fn inline(auth: &Auth, server: Option<&Server>, ctx: &Ctx) -> Result<Access> {
    let server = server
        .filter(|server| !server.url.is_empty())
        .ok_or_else(|| Error::invalid_spec("no server URL provided"))?;
    let method = auth.method()?;
    let ca = ctx
        .trust(server.ca_bundle.as_ref(), server.ca_provider.as_ref())
        .await?;
    let mut login = Login::Anonymous;
    let mut identity = None;
    let mut renew_after = None;
    match method {
        Method::Token(selector) => {
            let token = ctx
                .secret(selector)
                .await
                .map_err(|error| error.context("could not fetch Auth.Token.BearerToken"))?;
            login = Login::Bearer(token);
        }
        Method::ServiceAccount(selector) => {
            let token = service_account_token(selector, ctx).await?;
            renew_after = Some(token::renew_after(&token, TOKEN_LIFETIME));
            login = Login::Bearer(token);
        }
        Method::Cert(cert) => identity = Some(client_identity(cert, ctx).await?),
    }
    let default_tls = ca.is_some() || identity.is_some();
    Ok(Access {
        server: server_url(&server.url, default_tls)?,
        tls: Tls {
            ca,
            identity,
            verification: Verification::Full,
        },
        login,
        impersonation: Vec::new(),
        renew_after,
    })
}

async fn service_account_token(
    selector: &ServiceAccountSelector,
    ctx: &Ctx,
) -> Result<SecretValue> {
    let made = ctx
        .service_account_token(selector, &[], TOKEN_LIFETIME)
        .await;
    made.map_err(|error| {
        error.map_message(|text| {
            format!(
                "could not fetch Auth.ServiceAccount: cannot create service account token: {text:?}"
            )
        })
    })
}

async fn client_identity(cert: &CertAuth, ctx: &Ctx) -> Result<Identity> {
    let failed = |part: &'static str| {
        move |error: Error| {
            error.context(format!(
                "could not fetch client key and cert: unable to fetch client {part}"
            ))
        }
    };
    let certificate = ctx
        .secret(&cert.client_cert)
        .await
        .map_err(failed("certificate"))?;
    let key = ctx.secret(&cert.client_key).await.map_err(failed("key"))?;
    Ok(Identity {
        certificate: certificate.expose().to_vec(),
        key,
    })
}
