//! The one request that gives all secrets of the application, and what its answers mean. Texts are
//! those of upstream's client, with more detail behind them.

use std::collections::BTreeMap;

use lockstep_provider_api::http::{Answer, StatusCode, kind_of};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Rest;
use lockstep_provider_kit::error::not_absence;
use serde::Deserialize;

const UNREACHED: &str = "cannot do request in senhasegura, SSL certificate is valid ?";
const BAD_STATUS: &str = "received invalid HTTP code from senhasegura";
const BAD_BODY: &str = "invalid HTTP response body received from senhasegura";
const REFUSED: &str = "received application error from senhasegura";

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
struct Outcome {
    #[serde(default)]
    status: u16,
    #[serde(default)]
    error: bool,
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

/// The answer if it is a success, which is 200 and nothing else.
pub(crate) fn check(answer: Answer) -> Result<Answer> {
    if answer.status() == StatusCode::OK {
        return Ok(answer);
    }
    let text = format!("{BAD_STATUS}: {}", answer.status());
    Err(match answer.error() {
        Some(error) => error.map_message(|_| text),
        None => Error::invalid_data(text),
    })
}

/// The same error in upstream's words where no answer came at all.
pub(crate) fn unreached(error: Error) -> Error {
    let answered = error.to_string().starts_with(BAD_STATUS);
    if error.kind() == &ErrorKind::Unreachable && !answered {
        return error.context(UNREACHED);
    }
    error
}

fn refused(answer: &Answer, outcome: &Outcome) -> Error {
    let status = StatusCode::from_u16(outcome.status).ok();
    let kind = status.and_then(kind_of).unwrap_or(ErrorKind::InvalidData);
    Error::new(
        kind,
        match answer.detail("/response/message") {
            Some(message) => format!("{REFUSED}: {message}"),
            None => REFUSED.to_owned(),
        },
    )
}
