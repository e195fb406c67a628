//! The one request that gives all secrets of the application, and the secrets in its answer. What a
//! failure means is decided in `error`.

use std::collections::BTreeMap;

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Rest;
use lockstep_provider_kit::error::not_absence;
use serde::Deserialize;

use crate::error::{BAD_BODY, Outcome, check, refused, unreached};

/// A connection to the server.
pub(crate) struct Api {
    rest: Rest,
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    response: Outcome,
    #[serde(default)]
    application: Application,
}

#[derive(Default, Deserialize)]
struct Application {
    #[serde(default)]
    secrets: Option<Vec<Secret>>,
}

/// A secret of the application.
#[derive(Deserialize)]
pub(crate) struct Secret {
    #[serde(default)]
    pub(crate) identity: String,
    #[serde(default)]
    pub(crate) data: Option<Vec<BTreeMap<String, Option<String>>>>,
}

impl Api {
    pub(crate) fn new(rest: Rest) -> Self {
        Self { rest }
    }

    /// All secrets of the application, as the server gives them.
    pub(crate) async fn read(&self) -> Result<SecretValue> {
        let request = self.rest.get("/iso/dapp/application");
        let answer = self.rest.send("GetApplication", request, check).await;
        let answer = answer.map_err(unreached).map_err(not_absence)?;
        let envelope: Envelope = answer.json().map_err(|_| Error::invalid_data(BAD_BODY))?;
        if envelope.response.error {
            return Err(not_absence(refused(&answer, &envelope.response)));
        }
        Ok(answer.into_secret())
    }
}

/// The secrets in what [`Api::read`] gave.
pub(crate) fn secrets(body: &SecretValue) -> Result<Vec<Secret>> {
    let parsed = serde_json::from_slice::<Envelope>(body.expose());
    let envelope = parsed.map_err(|_| Error::invalid_data(BAD_BODY))?;
    Ok(envelope.application.secrets.unwrap_or_default())
}
