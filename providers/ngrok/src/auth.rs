//! The API key of an account, as a bearer token.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Scheme, StaticHeader};

use crate::spec::NgrokSpec;

/// What signs requests.
pub(crate) async fn authenticator(spec: &NgrokSpec, ctx: &Ctx) -> Result<StaticHeader> {
    let key = ctx.secret(spec.key()?).await?;
    Ok(StaticHeader::new(Scheme::BEARER, key))
}
