//! From the spec's `auth` to an identity. One login serves every connection of an identity: its token
//! is kept, renewed before it ends, and revoked when the process does. A token that the server no
//! longer knows is replaced once.

use std::fmt;
use std::sync::Arc;

use lockstep_provider_api::http::Method;
use lockstep_provider_api::json::Value;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint, TokenCache};

use crate::error::Failure;
use crate::server::{Ask, Server};

mod aws;
mod gcp;
mod login;
mod methods;
mod own_token;
mod proof;
mod sessions;
mod token_source;

pub use login::Login;
pub use methods::identity;
pub(crate) use methods::or_key;
pub use proof::Proof;
use sessions::{Session, Sessions};
pub use token_source::TokenSource;

/// Seconds after a login in which a refusal is not blamed on the token.
const FRESH: i64 = 5;
/// Seconds after a login in which the server is not asked about the token again.
const KNOWN_GOOD: i64 = 60;
/// Life, in seconds, of a token that the server gave no end.
const ENDLESS: u64 = 24 * 3600;

/// Who asks. Cheap to clone.
#[derive(Clone)]
pub struct Identity(Arc<Inner>);

struct Inner {
    who: String,
    source: Source,
    /// The server as logins reach it: with the certificate of the login where one is used.
    server: Server,
    namespace: Option<String>,
}

/// Where tokens come from.
enum Source {
    /// Nobody: requests carry no token.
    Nobody,
    /// A token that somebody else keeps alive.
    Token(SecretValue),
    /// A token of a login that nothing else uses.
    Own(SecretValue),
    /// Logins.
    Login(Box<Login>, Fingerprint),
}

/// What a refusal of a request means for its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The token is good: a policy refused the request.
    Denied,
    /// The token was replaced; the request may be made once more.
    Again,
    /// The token has ended and nothing replaces it.
    Ended,
}

impl Identity {
    /// An identity without a token.
    pub fn nobody(server: Server) -> Self {
        Self::new("nobody".to_owned(), Source::Nobody, server, None)
    }

    /// The identity of a token that somebody else keeps alive; `who` says where it comes from.
    pub fn of_token(
        (who, token): (&str, &SecretValue),
        server: Server,
        namespace: Option<String>,
    ) -> Self {
        // Files and Secrets tend to end in a line break.
        let token = SecretValue::from(token.expose().trim_ascii_end());
        Self::new(who.to_owned(), Source::Token(token), server, namespace)
    }

    /// An identity that logs in.
    pub fn of_login(login: Login, server: Server, namespace: Option<String>) -> Self {
        let fingerprint = login.fingerprint(server.address(), namespace.as_deref());
        let who = login.who();
        let source = Source::Login(Box::new(login), fingerprint);
        Self::new(who, source, server, namespace)
    }

    fn new(who: String, source: Source, server: Server, namespace: Option<String>) -> Self {
        Self(Arc::new(Inner {
            who,
            source,
            server,
            namespace,
        }))
    }

    /// Whose token it is, for messages.
    pub fn who(&self) -> &str {
        &self.0.who
    }

    /// A token that is still good for a while; `None` for nobody.
    pub async fn token(&self) -> Result<Option<SecretValue>> {
        match &self.0.source {
            Source::Nobody => Ok(None),
            Source::Token(token) | Source::Own(token) => Ok(Some(token.clone())),
            Source::Login(login, key) => {
                let ctx = self.0.server.ctx();
                let cache = ctx.shared::<TokenCache>();
                let fetch = || Box::pin(self.fetch(login, *key));
                cache.get(*key, &*ctx.time(), fetch).await.map(Some)
            }
        }
    }

    /// Asks the server about the token, unless a login vouches for it.
    pub async fn check(&self) -> Result<()> {
        let token = self.token().await?;
        if let Source::Login(_, key) = &self.0.source
            && self.age(*key).is_some_and(|age| age < KNOWN_GOOD)
        {
            return Ok(());
        }
        let looked = self.look_up(token.as_ref()).await;
        let looked = looked.map_err(|failure| {
            let refused = failure.is_forbidden();
            let failure = if refused {
                failure.ended(self.who())
            } else {
                failure
            };
            failure.error.context("invalid vault credentials")
        });
        looked.map(drop)
    }

    /// What the refusal of a request with this token means.
    pub(crate) async fn judge(&self, failure: &Failure, token: Option<&SecretValue>) -> Verdict {
        // The server wraps what a policy refuses, and nothing else.
        let says = |words: &str| failure.errors.iter().any(|error| error.contains(words));
        if says("1 error occurred") && !says("invalid token") {
            return Verdict::Denied;
        }
        let fresh = match &self.0.source {
            Source::Login(_, key) => self.age(*key).is_some_and(|age| age < FRESH),
            _ => false,
        };
        match self.look_up(token).await {
            Err(refused) if refused.is_forbidden() && !fresh => {}
            _ => return Verdict::Denied,
        }
        match (&self.0.source, token) {
            (Source::Login(_, key), Some(token)) => {
                let ctx = self.0.server.ctx();
                ctx.shared::<TokenCache>().forget(*key, token);
                ctx.shared::<Sessions>().remove(*key, token);
                Verdict::Again
            }
            _ => Verdict::Ended,
        }
    }

    async fn look_up(&self, token: Option<&SecretValue>) -> Result<Value, Failure> {
        let mut ask = Ask::new("LookupSelf", Method::GET, "auth/token/lookup-self");
        ask.namespace = self.0.namespace.as_deref();
        Box::pin(self.0.server.ask(&ask, token)).await
    }

    /// Seconds since the login.
    fn age(&self, key: Fingerprint) -> Option<i64> {
        let ctx = self.0.server.ctx();
        let since = ctx.shared::<Sessions>().since(key)?;
        Some(ctx.now().duration_since(since).as_secs())
    }

    /// Renews the present token where that works, and logs in where it does not.
    async fn fetch(&self, login: &Login, key: Fingerprint) -> Result<AccessToken> {
        let ctx = self.0.server.ctx();
        let sessions = ctx.shared::<Sessions>();
        if let Some(session) = sessions.renewable(key)
            && let Some(token) = self.renewed(&session, key).await
        {
            return Ok(token);
        }
        let namespace = self.0.namespace.as_deref();
        let granted = Box::pin(login.log_in(&self.0.server, namespace)).await?;
        let seconds = granted.seconds();
        let session = Session {
            token: granted.token.clone(),
            seconds,
            is_renewable: granted.is_renewable,
            since: ctx.now(),
            identity: self.clone(),
        };
        sessions.insert(key, session, ctx);
        Ok(AccessToken::lasting(granted.token, seconds, ctx.now()))
    }

    async fn renewed(&self, session: &Session, key: Fingerprint) -> Option<AccessToken> {
        let mut ask = Ask::new("RenewSelf", Method::PUT, "auth/token/renew-self");
        ask.namespace = self.0.namespace.as_deref();
        ask.body = Some("{}".into());
        let answer = Box::pin(self.0.server.ask(&ask, Some(&session.token)))
            .await
            .ok()?;
        let granted = login::Granted::read(&answer)?;
        // Near its longest life a renewal gives less than it takes.
        if granted.seconds() < session.seconds / 2 {
            return None;
        }
        let ctx = self.0.server.ctx();
        ctx.shared::<Sessions>().renewed(key, &granted);
        let token = session.token.clone();
        Some(AccessToken::lasting(token, granted.seconds(), ctx.now()))
    }

    async fn revoke(&self, token: &SecretValue) {
        let mut ask = Ask::new("RevokeSelf", Method::PUT, "auth/token/revoke-self");
        ask.namespace = self.0.namespace.as_deref();
        // It ends by itself where this fails.
        drop(Box::pin(self.0.server.ask(&ask, Some(token))).await);
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({})", self.0.who)
    }
}
