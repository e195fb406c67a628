//! The API key of the account, which is sent as it is.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Scheme, StaticHeader};

use crate::spec::FortanixSpec;

const SCHEME: Scheme = Scheme::authorization("Basic ", "");

/// What signs requests; `None` for a cluster store that leaves the key's namespace to its users, while
/// nobody uses it.
pub(crate) async fn authenticator(spec: &FortanixSpec, ctx: &Ctx) -> Result<Option<StaticHeader>> {
    let selector = spec.key()?;
    // Upstream refuses a foreign namespace here, too, where other providers read their own.
    ctx.scope().check_referent(selector.namespace.as_deref())?;
    if ctx.is_referent(selector.namespace.as_deref()) && ctx.scope().home().is_none() {
        return Ok(None);
    }
    let key = ctx.secret(selector).await;
    let key = key.map_err(|error| error.context("cannot resolve secret key ref"))?;
    Ok(Some(StaticHeader::new(SCHEME, key)))
}
