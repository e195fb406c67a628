//! What of a credential is remembered, and how it is revoked: a lease by its id, a token by its
//! accessor. Neither is a secret; both need a policy that allows the call.

use jiff::Timestamp;
use lockstep_provider_api::http::Method;
use lockstep_provider_api::json::Value;
use lockstep_provider_api::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::api::{member, number, text};
use crate::connection::Connection;
use crate::error::Failure;
use crate::server::Ask;

/// State of a GeneratorState.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct State {
    #[serde(skip_serializing_if = "String::is_empty")]
    lease_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    accessor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<Timestamp>,
}

impl State {
    /// The lease or the token of an answer; a token without an accessor cannot be revoked.
    pub(super) fn found(answer: &Value) -> Option<Self> {
        let auth = member(answer, "auth");
        let state = Self {
            lease_id: text(answer, "lease_id"),
            accessor: auth.map_or_else(String::new, |auth| text(auth, "accessor")),
            expires: None,
        };
        let is_empty = state.lease_id.is_empty() && state.accessor.is_empty();
        (!is_empty).then_some(state)
    }

    /// How long the credential of an answer lives; `None` for one without an end.
    pub(super) fn seconds(answer: &Value) -> Option<u64> {
        let lives = [Some(answer), member(answer, "auth")].into_iter().flatten();
        let lives = lives.map(|part| member(part, "lease_duration").map_or(0, number));
        lives.filter(|seconds| *seconds > 0).min()
    }

    /// What is remembered of a credential with this end.
    pub(super) fn ending(self, expires: Option<Timestamp>) -> Result<serde_json::Value> {
        let state = Self { expires, ..self };
        serde_json::to_value(state).map_err(|error| Error::invalid_data(error.to_string()))
    }

    /// Reads what was remembered.
    pub(super) fn read(state: serde_json::Value) -> Result<Self> {
        serde_json::from_value(state)
            .map_err(|error| Error::invalid_spec(format!("error parsing generator state: {error}")))
    }

    /// Whether the server has ended the credential by itself.
    pub(super) fn has_ended(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// Revokes the credential. One that is gone counts as revoked.
    pub(super) async fn revoke(&self, connection: &Connection) -> Result<()> {
        if !self.lease_id.is_empty() {
            // Without `sync` the server only promises, and keeps what fails to itself.
            let body = json!({ "lease_id": self.lease_id, "sync": true });
            put(connection, ("RevokeLease", "sys/leases/revoke"), &body).await?;
        }
        if !self.accessor.is_empty() {
            let body = json!({ "accessor": self.accessor });
            put(
                connection,
                ("RevokeToken", "auth/token/revoke-accessor"),
                &body,
            )
            .await?;
        }
        Ok(())
    }
}

async fn put(
    connection: &Connection,
    (call, path): (&'static str, &str),
    body: &serde_json::Value,
) -> Result<()> {
    let mut ask = Ask::new(call, Method::PUT, path);
    ask.body = Some(body.to_string().into());
    match connection.ask(ask).await {
        Ok(_) => Ok(()),
        Err(failure) if is_gone(&failure) => Ok(()),
        Err(failure) => Err(failure.error.context("could not revoke the credential")),
    }
}

fn is_gone(failure: &Failure) -> bool {
    let gone = ["invalid lease", "lease not found", "invalid accessor"];
    let mut errors = failure.errors.iter();
    failure.is_missing() || errors.any(|error| gone.iter().any(|words| error.contains(words)))
}
