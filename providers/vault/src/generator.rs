//! `VaultDynamicSecret`: one request to any engine, and the members of its answer. A lease or a token
//! in the answer is kept as state, so that clean-up revokes it. A lease ends with the token that made
//! it, so every credential has a login of its own, which is not revoked when the operator stops.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use lockstep_provider_api::http::{Method, encode_component};
use lockstep_provider_api::json::Value;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::retry::RetrySettings;
use lockstep_provider_api::{Generated, Generator, Random};
use serde::Deserialize;

mod answer;
#[cfg(test)]
mod conformance;
mod lease;
#[cfg(test)]
mod tests;

use crate::auth;
use crate::connection::{Connection, absent_is_invalid};
use crate::error::Failure;
use crate::server::{Ask, Server};
use crate::spec::{VaultSpec, given};
use crate::store::address;
use answer::ResultType;
use lease::State;

/// Upstream's words in front of an answer without values.
const UNUSABLE: &str = "unable to get dynamic secret";

/// `spec` of a VaultDynamicSecret.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
    provider: Option<VaultSpec>,
    #[serde(default)]
    path: String,
    method: Option<String>,
    parameters: Option<serde_json::Value>,
    get_parameters: Option<BTreeMap<String, Vec<String>>>,
    #[serde(default)]
    result_type: ResultType,
    retry_settings: Option<Retries>,
    #[serde(default)]
    allow_empty_response: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Retries {
    max_retries: Option<i64>,
    retry_interval: Option<String>,
}

pub(crate) struct VaultDynamicSecret;

impl Generator for VaultDynamicSecret {
    const KIND: &'static str = "VaultDynamicSecret";
    const KEEPS_STATE: bool = true;
    type Spec = Spec;

    async fn generate(spec: Spec, ctx: &Ctx, _: &mut dyn Random) -> Result<Generated> {
        let request = spec.request()?;
        let shared = spec.connect(ctx).await?;
        let now = ctx.now();
        let (connection, life) = Box::pin(shared.with_own_token())
            .await
            .map_err(|error| refused(absent_is_invalid(error)))?;
        let answer = Box::pin(spec.ask(&connection, request)).await;
        let lease = answer.as_ref().ok().and_then(State::found);
        let made = answer.and_then(|answer| spec.made(&answer, life, now));
        match (&made, lease) {
            (Ok(_), Some(_)) => return made,
            // It ends by itself where this fails.
            (Err(_), Some(lease)) => drop(lease.revoke(&connection).await),
            _ => {}
        }
        connection.identity().revoke_own_token().await;
        made
    }

    async fn cleanup(spec: Spec, state: serde_json::Value, ctx: &Ctx) -> Result<()> {
        let state = State::read(state)?;
        let revoked = async {
            let connection = spec.connect(ctx).await?;
            state.revoke(&connection).await
        };
        match Box::pin(revoked).await {
            // Nothing is left to revoke, whatever stands in the way.
            Err(_) if state.has_ended(ctx.now()) => Ok(()),
            revoked => revoked,
        }
    }
}

/// What is sent.
struct Request {
    method: Method,
    query: Option<String>,
    body: Option<SecretValue>,
}

impl Spec {
    fn request(&self) -> Result<Request> {
        if self.path.trim_matches('/').is_empty() {
            return Err(Error::invalid_spec("spec.path is empty"));
        }
        let method = given(self.method.as_deref()).unwrap_or("GET");
        let plain = |method, query| Request {
            method,
            query,
            body: None,
        };
        Ok(match &*method.to_uppercase() {
            "GET" => plain(Method::GET, self.query()),
            "LIST" => plain(Method::GET, Some("list=true".to_owned())),
            "DELETE" => plain(Method::DELETE, None),
            _ => Request {
                method: Method::PUT,
                query: None,
                body: Some(self.body()?),
            },
        })
    }

    fn query(&self) -> Option<String> {
        let all = self.get_parameters.iter().flatten();
        let pairs = all.flat_map(|(name, values)| {
            let name = encode_component(name);
            let pair = move |value: &String| format!("{name}={}", encode_component(value));
            values.iter().map(pair)
        });
        let query = pairs.collect::<Vec<_>>().join("&");
        Some(query).filter(|query| !query.is_empty())
    }

    fn body(&self) -> Result<SecretValue> {
        match &self.parameters {
            None | Some(serde_json::Value::Null) => Ok("{}".into()),
            Some(given @ serde_json::Value::Object(_)) => Ok(given.to_string().into()),
            Some(_) => Err(Error::invalid_spec("spec.parameters is not an object")),
        }
    }

    /// The server as the identity of the manifest reaches it.
    async fn connect(&self, ctx: &Ctx) -> Result<Connection> {
        let provider = self.provider.as_ref();
        let provider =
            provider.ok_or_else(|| Error::invalid_spec("no Vault provider config in spec"))?;
        let ctx = match &self.retry_settings {
            Some(set) => {
                let interval = given(set.retry_interval.as_deref());
                let settings = RetrySettings::parse(set.max_retries, interval)?;
                ctx.clone().with_retry(settings)
            }
            None => ctx.clone(),
        };
        let opened = async {
            let address = address(provider, &ctx).await?;
            let namespace = given(provider.namespace.as_deref()).map(str::to_owned);
            let found = auth::identity(
                provider.auth.as_ref(),
                namespace.as_deref(),
                address.clone(),
                &ctx,
            );
            let identity = Box::pin(found).await?;
            let server = Server::new(address, ctx.clone())?;
            Ok(Connection::new(server, identity, namespace))
        };
        Box::pin(opened)
            .await
            .map_err(|error| refused(absent_is_invalid(error)))
    }

    /// The answer; `null` for one that holds nothing.
    async fn ask(&self, connection: &Connection, request: Request) -> Result<Value> {
        let mut ask = Ask::new("DynamicSecret", request.method, &self.path);
        ask.query = request.query;
        ask.body = request.body;
        match connection.ask(ask).await {
            Err(failure) if failure.is_missing() => Ok(beside(failure)),
            Err(failure) => Err(failure.error),
            Ok(answer) => Ok(answer),
        }
    }

    /// What an answer gives. `life` is that of the token it was asked with.
    fn made(&self, answer: &Value, life: Option<u64>, now: Timestamp) -> Result<Generated> {
        let values = match self.result_type.values(answer) {
            Some(values) => values,
            None if self.allow_empty_response => SecretMap::new(),
            None if *answer == Value::Null => {
                return Err(Error::invalid_data("empty response from Vault").context(UNUSABLE));
            }
            None => {
                let text = self.result_type.missing(&self.path);
                return Err(Error::invalid_data(text).context(UNUSABLE));
            }
        };
        let Some(lease) = State::found(answer) else {
            return Ok(Generated {
                values,
                state: None,
                expires: answer::certificate_end(answer),
            });
        };
        // Whichever ends first, the lease or the token that it hangs on.
        let seconds = [State::seconds(answer), life].into_iter().flatten().min();
        let expires = seconds.and_then(|seconds| {
            let life = SignedDuration::from_secs(i64::try_from(seconds).ok()?);
            now.checked_add(life).ok()
        });
        Ok(Generated {
            values,
            state: Some(lease.ending(expires)?),
            expires,
        })
    }
}

/// What a 404 holds nevertheless, as the vendor's client has it.
fn beside(failure: Failure) -> Value {
    let holds = |name: &str| crate::api::member(&failure.body, name).is_some();
    if holds("data") || holds("warnings") {
        failure.body
    } else {
        Value::Null
    }
}

fn refused(error: Error) -> Error {
    error.context("unable to setup Vault client")
}
