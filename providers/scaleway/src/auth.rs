//! From the spec's keys to the header that Scaleway takes them in. The access key is not sent; it
//! is resolved so that a reference to nowhere shows in the store.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Scheme, StaticHeader};

use crate::spec::ScalewaySpec;

/// Sends the secret key.
pub(crate) async fn connect(spec: &ScalewaySpec, ctx: &Ctx) -> Result<StaticHeader> {
    spec.access_key.resolve(ctx, "accessKey").await?;
    let secret = spec.secret_key.resolve(ctx, "secretKey").await?;
    Ok(StaticHeader::new(Scheme::header("x-auth-token"), secret))
}
