//! The token of the Connect server. There is one way to sign in, and no session: the token goes with
//! every request.

use lockstep_provider_api::prelude::*;

use crate::spec::OnepasswordSpec;

/// Reads the token of a store.
pub(crate) async fn token(spec: &OnepasswordSpec, ctx: &Ctx) -> Result<SecretValue> {
    ctx.secret(spec.token()).await
}
