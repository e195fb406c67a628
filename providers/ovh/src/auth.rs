//! From the spec's `auth` to trust and credentials: a client certificate, or a token in a header.

use std::sync::Arc;

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::auth::{Anonymous, Authenticator};
use lockstep_provider_kit::{Scheme, StaticHeader, tls};

use crate::spec::Auth;

/// Resolves the credentials.
pub(crate) async fn connect(auth: &Auth, ctx: &Ctx) -> Result<(Tls, Arc<dyn Authenticator>)> {
    if let Some(token) = &auth.token {
        let token = ctx.secret(&token.token_secret_ref).await?;
        let header = StaticHeader::new(Scheme::BEARER, token);
        return Ok((Tls::default(), Arc::new(header)));
    }
    let Some(mtls) = &auth.mtls else {
        return Err(Error::invalid_spec(
            "missing authentication: give auth.mtls or auth.token",
        ));
    };
    let trust = tls::trusting(ctx, mtls.ca_bundle.as_ref(), mtls.ca_provider.as_ref()).await?;
    let identity = tls::identity(ctx, &mtls.cert_secret_ref, &mtls.key_secret_ref).await?;
    let trust = Tls {
        identity: Some(identity),
        ..trust
    };
    Ok((trust, Arc::new(Anonymous)))
}
