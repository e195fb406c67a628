//! The requests this provider makes and the answers it understands. What they mean to a caller is
//! decided in `store`, what a failure means in `error`.

use lockstep_provider_api::http::{HttpClient, encode_component};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use crate::{Acme, error};

/// A connection to the server.
pub(crate) struct Api {
    http: HttpClient,
    base: String,
    token: SecretValue,
    ctx: Ctx,
}

/// The answer to a read.
#[derive(Deserialize)]
struct Secret {
    value: String,
}

impl Api {
    pub(crate) fn new(http: HttpClient, url: &str, token: SecretValue, ctx: Ctx) -> Self {
        let base = url.trim_end_matches('/').to_owned();
        Self {
            http,
            base,
            token,
            ctx,
        }
    }

    /// The value of one secret.
    pub(crate) async fn read(&self, key: &str) -> Result<SecretValue> {
        let url = format!("{}/v1/secrets/{}", self.base, encode_component(key));
        let request = self.http.get(url).bearer(&self.token).accept_json();
        let answer = request.send().await.and_then(error::check);
        let answer = self.ctx.counted(Acme::NAME, "GetSecret", answer)?;
        let secret: Secret = answer.json()?;
        Ok(SecretValue::from(secret.value))
    }
}
