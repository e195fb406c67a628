//! The metadata server of a machine or of GKE: tokens of the operator's own identity, and where it
//! runs. Asked only where ambient identity is allowed.

use std::time::Duration;

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::AccessToken;

use super::{endpoint, exchange};

/// It is one hop away or not there at all.
const PATIENCE: Duration = Duration::from_secs(5);
const WHAT: &str = "the metadata server";

/// A token of the operator's own identity.
pub async fn token(ctx: &Ctx) -> Result<AccessToken> {
    let answer = ask("instance/service-accounts/default/token", ctx).await?;
    exchange::granted(&answer, WHAT, ctx)
}

/// The project the operator runs in.
pub async fn project(ctx: &Ctx) -> Result<String> {
    text("project/project-id", ctx).await
}

/// A property of the cluster the operator runs in, such as `cluster-name`.
pub async fn attribute(name: &str, ctx: &Ctx) -> Result<String> {
    text(&format!("instance/attributes/{name}"), ctx).await
}

async fn text(path: &str, ctx: &Ctx) -> Result<String> {
    let answer = ask(path, ctx).await?;
    let text = std::str::from_utf8(answer.expose_body()).unwrap_or_default();
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::invalid_data(format!("{WHAT} does not know {path}")));
    }
    Ok(text.to_owned())
}

async fn ask(path: &str, ctx: &Ctx) -> Result<Answer> {
    if ctx.ambient().is_none() {
        return Err(Error::invalid_spec(
            "the metadata server may not be asked here; name an identity in auth, and projectID, \
             clusterProjectID, clusterLocation and clusterName in the store",
        ));
    }
    let url = format!("{}/{path}", endpoint::metadata(ctx));
    let request = exchange::client(ctx)?.get(url);
    let request = request.header("Metadata-Flavor", "Google");
    let answer = exchange::within(PATIENCE, WHAT, request.send(), ctx).await?;
    match exchange::refusal(&answer) {
        None => Ok(answer),
        Some(refusal) => Err(refusal.error(
            format!(
                "{WHAT} answered {} to {path}; give the node or pod a service account, or name \
                 an identity in auth",
                refusal.status
            ),
            &answer,
        )),
    }
}
