//! The two requests of this provider and the answers it understands. What a failure means is decided in
//! `error`.

use lockstep_provider_api::http::encode_key;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Rest;
use lockstep_provider_kit::error::{missing_kept, not_absence};
use serde::Deserialize;

use crate::error::check;

/// A connection to the vault.
pub(crate) struct Api {
    rest: Rest,
}

#[derive(Deserialize)]
struct Decrypted {
    secret: String,
}

impl Api {
    pub(crate) fn new(rest: Rest) -> Self {
        Self { rest }
    }

    /// The value of a secret.
    pub(crate) async fn read(&self, id: &str) -> Result<SecretValue> {
        let path = format!("/secret/{}/decrypt", encode_key(id));
        let request = self.rest.get(&path).accept_json();
        let answer = self.rest.send("DecryptSecret", request, check).await;
        let decrypted: Decrypted = answer.map_err(missing_kept)?.json()?;
        Ok(SecretValue::from(decrypted.secret))
    }

    /// Whether the vault knows the token.
    pub(crate) async fn check(&self) -> Result<()> {
        let request = self.rest.get("/token/info").accept_json();
        let answer = self.rest.send("GetTokenInfo", request, check).await;
        answer.map(drop).map_err(not_absence)
    }
}
