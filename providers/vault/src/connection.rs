//! A server as one identity asks it. A refused request is made once more where its token had ended;
//! a request that a policy refuses costs no login.

use lockstep_provider_api::http::Method;
use lockstep_provider_api::json::Value;
use lockstep_provider_api::prelude::*;

use crate::auth::{Identity, Verdict};
use crate::error::{self, Failure};
use crate::server::{Ask, Server};

/// A server and who asks it.
#[derive(Debug)]
pub struct Connection {
    server: Server,
    identity: Identity,
    namespace: Option<String>,
}

impl Connection {
    /// A connection to a namespace of a server.
    pub fn new(server: Server, identity: Identity, namespace: Option<String>) -> Self {
        Self {
            server,
            identity,
            namespace,
        }
    }

    /// The same connection with a login of its own, and the seconds that its token lives.
    pub(crate) async fn with_own_token(self) -> Result<(Self, Option<u64>)> {
        let (identity, life) = self.identity.with_own_token().await?;
        let own = Self { identity, ..self };
        Ok((own, life))
    }

    /// What it was made with.
    pub fn ctx(&self) -> &Ctx {
        self.server.ctx()
    }

    /// Who asks.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Namespace of the secrets, for messages.
    pub fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or("root")
    }

    /// Address of the server.
    pub fn address(&self) -> &str {
        &self.server.address().server
    }

    /// Reads a path of any engine.
    pub async fn read(&self, call: &'static str, path: &str) -> Result<Value, Failure> {
        self.ask(Ask::new(call, Method::GET, path)).await
    }

    /// Makes a request with a token.
    pub async fn ask(&self, mut ask: Ask<'_>) -> Result<Value, Failure> {
        ask.namespace = self.namespace.as_deref();
        let token = self.token().await?;
        let failure = match Box::pin(self.server.ask(&ask, token.as_ref())).await {
            Err(failure) if failure.is_forbidden() => failure,
            other => return other,
        };
        let place = self.server.place(&ask);
        let verdict = Box::pin(self.identity.judge(&failure, token.as_ref())).await;
        match verdict {
            Verdict::Denied => Err(failure.denied(&place, self.identity.who())),
            Verdict::Ended => Err(failure.ended(self.identity.who())),
            Verdict::Again => {
                let token = self.token().await?;
                let asked = Box::pin(self.server.ask(&ask, token.as_ref())).await;
                asked.map_err(|failure| {
                    if failure.is_forbidden() {
                        return failure.denied(&place, self.identity.who());
                    }
                    failure
                })
            }
        }
    }

    async fn token(&self) -> Result<Option<SecretValue>, Failure> {
        let token = Box::pin(self.identity.token()).await;
        // A credential that cannot be had is no missing secret.
        token.map_err(|error| error::unsent(absent_is_invalid(error)))
    }
}

/// A credential that is missing is not a missing secret.
pub(crate) fn absent_is_invalid(error: Error) -> Error {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::Tombstoned(_) => {
            Error::new(ErrorKind::InvalidSpec, error.to_string()).with_source(error)
        }
        _ => error,
    }
}
