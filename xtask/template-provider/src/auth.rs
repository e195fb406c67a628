//! From the spec's `auth` to a token. Secrets are read through the context, which decides the
//! namespace; nothing is kept longer than the connection.

use lockstep_provider_api::prelude::*;

use crate::spec::Auth;

/// The token to sign requests with. A final newline, as editors leave one, does not belong to it.
pub(crate) async fn token(auth: &Auth, ctx: &Ctx) -> Result<SecretValue> {
    let value = ctx.secret(&auth.token_secret_ref).await?;
    Ok(SecretValue::from(value.without_final_newline()))
}
