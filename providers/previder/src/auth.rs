//! From the spec's `auth` to credentials on every request. The token is read through the context, which
//! decides the namespace.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Scheme, StaticHeader};

use crate::spec::PreviderSpec;

/// Sends the token as the vault wants it.
pub(crate) async fn connect(spec: &PreviderSpec, ctx: &Ctx) -> Result<StaticHeader> {
    let token = ctx.secret(spec.token()?).await?;
    Ok(StaticHeader::new(Scheme::header("x-api-key"), token))
}
