//! The API key of a site. How it is sent is the kit's business, which the generator shares.

use lockstep_provider_api::prelude::*;

use crate::spec::BeyondtrustworkloadcredentialsSpec;

/// Resolves the API key. Admission wants its namespace in a ClusterSecretStore, and so does upstream's check of
/// such a store.
pub(crate) async fn token(
    spec: &BeyondtrustworkloadcredentialsSpec,
    ctx: &Ctx,
) -> Result<SecretValue> {
    let selector = spec.token()?;
    if ctx.is_referent(selector.namespace.as_deref()) {
        return Err(Error::invalid_spec("cluster scope requires namespace"));
    }
    ctx.secret(selector).await
}
