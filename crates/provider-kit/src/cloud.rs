//! Proofs of the operator's own identity in a cloud, for backends that believe a cloud: a signed
//! request of AWS, tokens of Azure's, Google's and Yandex's metadata servers. Everything here needs
//! `ctx.ambient()`; nothing is sent to the backend but the proof.

use std::time::Duration;

use futures_util::future::{Either, select};
use lockstep_provider_api::http::{Answer, RequestBuilder, Tls};
use lockstep_provider_api::prelude::*;

pub mod aws;
pub mod azure;
pub mod google;
pub mod yandex;

/// A metadata server is one hop away or not there at all.
const PATIENCE: Duration = Duration::from_secs(5);

/// Refuses to go on where the operator's own identity is switched off; `what` is what would be asked.
pub fn check_ambient(ctx: &Ctx, what: &str) -> Result<()> {
    if ctx.ambient().is_some() {
        return Ok(());
    }
    Err(Error::invalid_spec(format!(
        "{what} may not be asked here: the operator's own identity is switched off"
    )))
}

/// Sends a request to a metadata server and waits a short while for the answer.
pub async fn ask(ctx: &Ctx, what: &str, request: RequestBuilder) -> Result<Answer> {
    let timeout = ctx.time().sleep(PATIENCE);
    let sent = Box::pin(request.send());
    let answer = match select(sent, timeout).await {
        Either::Left((answer, _)) => answer?,
        Either::Right(_) => {
            return Err(Error::unreachable(format!("{what} does not answer")));
        }
    };
    match answer.error() {
        None => Ok(answer),
        Some(error) => {
            let status = answer.status().as_u16();
            let error = crate::error::not_absence(error);
            Err(error.map_message(|_| format!("{what} answered {status}")))
        }
    }
}

fn get(ctx: &Ctx, url: &str) -> Result<RequestBuilder> {
    Ok(ctx.http(&Tls::default())?.get(url))
}
