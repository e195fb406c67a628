//! From the spec's `auth` to credentials on every request. Secrets are read through the context,
//! which decides the namespace; nothing is kept longer than the connection.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Scheme, StaticHeader};

use crate::spec::Auth;

/// Sends the token as a bearer token. A backend that signs in gets a `Session` here instead.
pub(crate) async fn connect(auth: &Auth, ctx: &Ctx) -> Result<StaticHeader> {
    let token = ctx.secret(&auth.token_secret_ref).await?;
    Ok(StaticHeader::new(Scheme::BEARER, token))
}
