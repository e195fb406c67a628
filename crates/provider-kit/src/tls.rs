//! Trust and identity of a connection from a manifest: the pair `caBundle` and `caProvider`, client
//! certificates, and certificate authorities that a manifest holds as plain text.

use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::http::{Identity, Tls};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector};

/// Trusts the authorities of the pair alone; the public ones where both are missing.
pub async fn trusting(
    ctx: &Ctx,
    bundle: Option<&CaBundle>,
    provider: Option<&CaProvider>,
) -> Result<Tls> {
    let ca = ctx.trust(bundle, provider).await?;
    Ok(Tls {
        ca,
        ..Tls::default()
    })
}

/// The same for a `caBundle` that is plain text in the schema: PEM, or base64 of PEM.
pub async fn trusting_text(
    ctx: &Ctx,
    bundle: Option<&str>,
    provider: Option<&CaProvider>,
) -> Result<Tls> {
    let bundle = bundle.map(|text| CaBundle::new(text.as_bytes().to_vec()));
    trusting(ctx, bundle.as_ref(), provider).await
}

/// The client certificate and key that two Secrets hold as PEM.
pub async fn identity(
    ctx: &Ctx,
    certificate: &SecretKeySelector,
    key: &SecretKeySelector,
) -> Result<Identity> {
    Ok(Identity {
        certificate: ctx.secret(certificate).await?.expose().to_vec(),
        key: ctx.secret(key).await?,
    })
}
