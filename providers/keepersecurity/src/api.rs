//! One request to Keeper: the payload encrypted with a new key, that key encrypted to the server, both
//! signed by the device. What a refusal means is decided in `error`.

use http::header::AUTHORIZATION;
use lockstep_provider_api::http::{Answer, StatusCode};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Rest;
use lockstep_provider_kit::error::not_absence;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;

use crate::auth::Config;
use crate::crypto::{Key, decode, encode, seal_to};
use crate::error::{code, refused, undecrypted};
use crate::keys::DEFAULT_ID;

/// What Keeper knows the client by.
pub(crate) const CLIENT_VERSION: &str = "mg16.6.4";
/// How often the server may ask for another of its keys.
const MAX_TURNS: usize = 3;

/// A device that talks to Keeper.
pub(crate) struct Api {
    rest: Rest,
    pub(crate) config: Config,
    keys: fn(&str) -> Option<&'static str>,
    server_key: Mutex<String>,
}

enum Outcome {
    Done(SecretValue),
    /// The server wants this one of its keys.
    OtherKey(String),
}

impl Api {
    pub(crate) fn new(rest: Rest, config: Config, keys: fn(&str) -> Option<&'static str>) -> Self {
        let known = keys(&config.server_key).is_some();
        let id = if known {
            &config.server_key
        } else {
            DEFAULT_ID
        };
        Self {
            server_key: Mutex::new(id.to_owned()),
            rest,
            config,
            keys,
        }
    }

    /// The context of the store.
    pub(crate) fn ctx(&self) -> &Ctx {
        self.rest.ctx()
    }

    /// Sends a payload and opens the answer; an empty one is a good one.
    pub(crate) async fn post(
        &self,
        call: &'static str,
        path: &str,
        payload: &impl Serialize,
    ) -> Result<SecretValue> {
        for _ in 0..MAX_TURNS {
            match self.turn(call, path, payload).await? {
                Outcome::Done(answer) => return Ok(answer),
                Outcome::OtherKey(id) => *self.server_key.lock() = id,
            }
        }
        Err(Error::unreachable(
            "POST Error: the server asks for one of its keys after the other",
        ))
    }

    async fn turn(
        &self,
        call: &'static str,
        path: &str,
        payload: &impl Serialize,
    ) -> Result<Outcome> {
        let id = self.server_key.lock().clone();
        let failed = || Error::invalid_spec("error generating the transmission key");
        let point = (self.keys)(&id).and_then(decode).ok_or_else(failed)?;
        let key = Key::random().ok_or_else(failed)?;
        let sealed_key = seal_to(&point, key.expose()).ok_or_else(failed)?;
        let json = serde_json::to_vec(payload)
            .map_err(|_| Error::invalid_data("error encrypting payload: it has no JSON form"))?;
        let json = SecretValue::new(json);
        let body = key.seal(json.expose()).ok_or_else(failed)?;
        let signature = self.config.device.sign(&[&sealed_key[..], &body].concat());
        let request = self
            .rest
            .post(&format!("/api/rest/sm/v1/{path}"))
            .header("publickeyid", &id)
            .header("transmissionkey", &encode(&sealed_key))
            .header(
                AUTHORIZATION.as_str(),
                &format!("Signature {}", encode(&signature)),
            )
            .body("application/octet-stream", body);
        let answer = self
            .rest
            .send(call, request, |answer| self.check(answer, &id))
            .await;
        let answer = answer.map_err(not_absence)?;
        if let Some(id) = self.other_key(&answer, &id) {
            return Ok(Outcome::OtherKey(id));
        }
        let body = answer.expose_body();
        if body.is_empty() {
            return Ok(Outcome::Done(SecretValue::default()));
        }
        let plain = key.open(body).ok_or_else(|| undecrypted(body.len()))?;
        Ok(Outcome::Done(plain))
    }

    /// Only 200 is a success; a wish for another key is none, but no failure either.
    fn check(&self, answer: Answer, id: &str) -> Result<Answer> {
        if answer.status() == StatusCode::OK || self.other_key(&answer, id).is_some() {
            return Ok(answer);
        }
        Err(refused(&answer))
    }

    /// The key that the server wants in place of `id`, where it is known.
    fn other_key(&self, answer: &Answer, id: &str) -> Option<String> {
        if answer.status() == StatusCode::OK {
            return None;
        }
        let body: Value = serde_json::from_slice(answer.expose_body()).ok()?;
        if code(&body)? != "key" {
            return None;
        }
        let wanted = match body.get("key_id")? {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        (wanted != id && (self.keys)(&wanted).is_some()).then_some(wanted)
    }
}
