//! From the spec's `auth` to trust and credentials: a client certificate, or a token in a header. An
//! empty credential is refused here, because the backend would refuse it later.

use std::sync::Arc;

use lockstep_provider_api::http::{Identity, Tls};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_kit::auth::{Anonymous, Authenticator};
use lockstep_provider_kit::{Scheme, StaticHeader, tls};

use crate::spec::{Auth, Mtls};

/// Resolves the credentials.
pub(crate) async fn connect(auth: &Auth, ctx: &Ctx) -> Result<(Tls, Arc<dyn Authenticator>)> {
    if let Some(token) = &auth.token {
        let token = credential(ctx, &token.token_secret_ref, "token.tokenSecretRef").await;
        let token =
            token.map_err(|error| error.context("failed to configure token okms client"))?;
        let header = StaticHeader::new(Scheme::BEARER, token);
        return Ok((Tls::default(), Arc::new(header)));
    }
    let Some(mtls) = &auth.mtls else {
        return Err(Error::invalid_spec("missing authentication method"));
    };
    let trust = certificate(ctx, mtls).await;
    let trust = trust.map_err(|error| error.context("failed to configure mtls okms client"))?;
    Ok((trust, Arc::new(Anonymous)))
}

async fn certificate(ctx: &Ctx, mtls: &Mtls) -> Result<Tls> {
    let key = credential(ctx, &mtls.key_secret_ref, "mtls.keySecretRef").await?;
    let certificate = credential(ctx, &mtls.cert_secret_ref, "mtls.certSecretRef").await?;
    let trust = tls::trusting(ctx, mtls.ca_bundle.as_ref(), mtls.ca_provider.as_ref()).await?;
    Ok(Tls {
        identity: Some(Identity {
            certificate: certificate.expose().to_vec(),
            key,
        }),
        ..trust
    })
}

async fn credential(ctx: &Ctx, selector: &SecretKeySelector, field: &str) -> Result<SecretValue> {
    let value = ctx.secret(selector).await?;
    if value.is_empty() {
        let text = format!("ovh store auth.{field} cannot be empty");
        return Err(Error::invalid_spec(text));
    }
    Ok(value)
}
