//! The suite on a generator that keeps the contract, and on ones that break it in one way each.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Method, Request, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{GeneratorSubject, assert_conforms, faults};
use crate::conformance::{CANARY, MemoryObjects, NAMESPACE, block_on, response, scripted};
use crate::context::Ctx;
use crate::error::{Error, Result};
use crate::generator::{Generated, Generator, GeneratorEntry, Random};
use crate::http::{Tls, Transport};
use crate::selector::SecretKeySelector;
use crate::value::{SecretMap, SecretValue};

/// What a generator gets wrong.
const NOTHING: u8 = 0;
const KEEPS_VALUE: u8 = 1;
const ABSENT_IS_FINE: u8 = 2;
const SHOWS_TOKEN: u8 = 3;
const FORGETS_TOKENS: u8 = 4;

#[derive(Deserialize)]
struct Spec {
    token: SecretKeySelector,
}

#[derive(Deserialize)]
struct Answer {
    id: u64,
    key: String,
}

struct Token<const WRONG: u8>;

impl<const WRONG: u8> Generator for Token<WRONG> {
    const KIND: &'static str = "Token";
    const KEEPS_STATE: bool = true;
    type Spec = Spec;

    async fn generate(spec: Spec, ctx: &Ctx, _: &mut dyn Random) -> Result<Generated> {
        let token = ctx.secret(&spec.token).await?;
        let request = ctx.http(&Tls::default())?.post("https://tokens.test/");
        let answer = request.bearer(&token).send().await?;
        match answer.error() {
            Some(_) if WRONG == ABSENT_IS_FINE => return Ok(Generated::default()),
            Some(error) if WRONG == SHOWS_TOKEN => {
                return Err(error.context(token.expose_utf8()?));
            }
            Some(error) => return Err(error),
            None => {}
        }
        let made: Answer = answer.json()?;
        let state = match WRONG {
            KEEPS_VALUE => json!({ "id": made.id, "key": made.key }),
            _ => json!({ "id": made.id }),
        };
        Ok(Generated {
            values: SecretMap::from_iter([("key".to_owned(), SecretValue::from(made.key))]),
            state: Some(state),
            expires: None,
        })
    }

    async fn cleanup(spec: Spec, state: Value, ctx: &Ctx) -> Result<()> {
        if WRONG == FORGETS_TOKENS {
            return Ok(());
        }
        let token = ctx.secret(&spec.token).await?;
        let id = state["id"].as_u64();
        let id = id.ok_or_else(|| Error::invalid_spec("the state has no id"))?;
        let request = ctx.http(&Tls::default())?;
        let request = request.delete(format!("https://tokens.test/{id}"));
        let answer = request.bearer(&token).send().await?;
        answer.error().map_or(Ok(()), Err)
    }
}

#[derive(Default)]
struct TokenSubject<const WRONG: u8> {
    made: Arc<AtomicUsize>,
    deleted: Arc<AtomicUsize>,
}

struct Zeros;

impl Random for Zeros {
    fn fill(&mut self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

impl<const WRONG: u8> GeneratorSubject for TokenSubject<WRONG> {
    fn entry(&self) -> GeneratorEntry {
        GeneratorEntry::of::<Token<WRONG>>()
    }

    fn spec(&self) -> Value {
        json!({ "token": { "name": "login", "key": "token" } })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "login", "token", CANARY);
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let (made, deleted) = (Arc::clone(&self.made), Arc::clone(&self.deleted));
        let answer = move |request: Request<Bytes>| -> Response<Bytes> {
            if request.method() == Method::POST {
                let id = made.fetch_add(1, Ordering::Relaxed);
                return response(201, format!(r#"{{"id":{id},"key":"{CANARY}-{id}"}}"#));
            }
            // Deletes the same one twice without complaint; only the last one made counts.
            deleted.store(1, Ordering::Relaxed);
            response(204, "")
        };
        Some(scripted(answer))
    }

    fn random(&self) -> Box<dyn Random> {
        Box::new(Zeros)
    }

    fn held(&self) -> Option<usize> {
        let made = self.made.load(Ordering::Relaxed);
        Some(made - self.deleted.load(Ordering::Relaxed).min(made))
    }
}

#[track_caller]
fn breaks<const WRONG: u8>(text: &str) {
    let found = block_on(faults(&TokenSubject::<WRONG>::default()));
    assert!(found.iter().any(|fault| fault.contains(text)), "{found:?}");
}

#[test]
fn a_generator_that_keeps_the_contract_passes() {
    assert_conforms(&TokenSubject::<NOTHING>::default());
}

#[test]
fn a_state_that_holds_a_value_is_found() {
    breaks::<KEEPS_VALUE>("the state holds the value of \"key\"");
}

#[test]
fn a_refusal_that_makes_values_is_found() {
    breaks::<ABSENT_IS_FINE>("status 403 makes values");
}

#[test]
fn an_error_that_shows_a_credential_is_found() {
    breaks::<SHOWS_TOKEN>("generate shows a value");
}

#[test]
fn a_clean_up_that_takes_nothing_back_is_found() {
    breaks::<FORGETS_TOKENS>("counts as taken back");
}
