//! From the spec's `auth` to the header that GitLab takes tokens in.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Scheme, StaticHeader};

use crate::spec::Auth;

/// Sends the access token.
pub(crate) async fn connect(auth: &Auth, ctx: &Ctx) -> Result<StaticHeader> {
    let token = ctx.secret(&auth.secret_ref.access_token).await?;
    Ok(StaticHeader::new(Scheme::header("private-token"), token))
}
