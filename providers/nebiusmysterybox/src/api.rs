//! The requests this provider makes and the answers it understands. What they mean to a caller is
//! decided in `store`, what a failure means in `error`.

use lockstep_provider_api::http::encode_component;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Rest;
use serde::Deserialize;

use crate::error;

/// A connection to the server.
pub(crate) struct Api {
    rest: Rest,
}

/// The answer to a read.
#[derive(Deserialize)]
struct Secret {
    value: String,
}

impl Api {
    pub(crate) fn new(rest: Rest) -> Self {
        Self { rest }
    }

    /// The value of one secret.
    pub(crate) async fn read(&self, key: &str) -> Result<SecretValue> {
        let path = format!("/v1/secrets/{}", encode_component(key));
        let request = self.rest.get(&path).accept_json();
        let answer = self.rest.send("GetSecret", request, error::check).await?;
        let secret: Secret = answer.json()?;
        Ok(SecretValue::from(secret.value))
    }
}
