//! From the spec to an identity that signs requests: a user's API key, the certificate of the compute
//! instance, or the ServiceAccount of a workload. The last two sign in and sign with a session key.

use std::sync::Arc;

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::auth::Authenticator;
use lockstep_provider_kit::oci::{Signer, private_key};

use crate::spec::{Auth, OracleSpec, Principal};

mod instance;
mod key;
mod session;
mod signing;
mod workload;

#[cfg(test)]
mod tests;

/// Resolves the credentials. Whoever signs in does so here, so that a store says that it cannot.
pub(crate) async fn connect(spec: &OracleSpec, ctx: &Ctx) -> Result<Arc<dyn Authenticator>> {
    match (spec.principal(), &spec.auth) {
        (Principal::Workload, _) => Ok(Arc::new(workload::connect(spec, ctx).await?)),
        (Principal::User, Some(auth)) => Ok(Arc::new(user(auth, ctx).await?)),
        _ => Ok(Arc::new(instance::connect(ctx).await?)),
    }
}

async fn user(auth: &Auth, ctx: &Ctx) -> Result<signing::User> {
    let (key, fingerprint) = (&auth.secret_ref.privatekey, &auth.secret_ref.fingerprint);
    let key = credential(ctx, key, "missing PrivateKey").await?;
    let fingerprint = credential(ctx, fingerprint, "missing Fingerprint").await?;
    for (value, missing) in [
        (&auth.user, "missing User ID"),
        (&auth.tenancy, "missing Tenancy ID"),
    ] {
        if value.is_empty() {
            return Err(Error::invalid_spec(missing));
        }
    }
    let key = private_key(&key, None)
        .map_err(|error| error.context("can not create client, bad configuration"))?;
    let fingerprint = fingerprint.expose_utf8()?.trim();
    let signer = Signer::new(&auth.tenancy, &auth.user, fingerprint, key);
    Ok(signing::User::new(ctx, signer))
}

async fn credential(
    ctx: &Ctx,
    selector: &lockstep_provider_api::selector::SecretKeySelector,
    missing: &str,
) -> Result<SecretValue> {
    if selector.name.as_deref().is_none_or(str::is_empty) {
        let text = "invalid oracle SecretStore resource: missing oracle APIKey";
        return Err(Error::invalid_spec(text));
    }
    let value = ctx.secret(selector).await;
    let value = value.map_err(|error| error.context("could not fetch SecretAccessKey secret"))?;
    if value.is_empty() {
        return Err(Error::invalid_spec(missing));
    }
    Ok(value)
}
