//! The client of a REST backend: base address, credentials, one repeat after a refused token, a limit
//! on answers, and the call metric. What an answer means is decided by the check that each call
//! brings along.

use std::sync::Arc;
use std::time::Duration;

use lockstep_provider_api::http::{Answer, HttpClient, Method, RequestBuilder, StatusCode, Tls};
use lockstep_provider_api::prelude::*;

use crate::address::Address;
use crate::auth::{Anonymous, Authenticator, Request};

/// Largest answer that is read, unless a provider says otherwise.
const MAX_ANSWER: usize = 16 << 20;
/// Longest time a request waits because the backend said so.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// A client of one backend. Clones share credentials.
#[derive(Clone)]
pub struct Rest {
    ctx: Ctx,
    provider: &'static str,
    http: HttpClient,
    base: Address,
    auth: Arc<dyn Authenticator>,
    agent: Option<&'static str>,
    limit: usize,
    repeat: Repeat,
}

/// How often a request is repeated while the backend answers 429 or 5xx.
#[derive(Clone, Copy, Debug)]
pub struct Repeat(Waits);

#[derive(Clone, Copy, Debug)]
enum Waits {
    /// As a vendor's client does it.
    Listed(&'static [Duration]),
    /// As the store's `retrySettings` say.
    Set {
        times: u32,
        first: Duration,
        longest: Duration,
    },
}

impl Repeat {
    /// Not at all: the object that asked is tried again later.
    pub const NEVER: Self = Self(Waits::Listed(&[]));
    /// Five times within two seconds, as several vendors' clients do.
    pub const FIVE_TIMES: Self = Self(Waits::Listed(&[
        Duration::from_millis(100),
        Duration::from_millis(200),
        Duration::from_millis(400),
        Duration::from_millis(400),
        Duration::from_millis(400),
    ]));

    /// So many times with the same pause, and also while no answer comes. A pause that the backend asks
    /// for is kept; where it asks for a long one, the object that asked waits better.
    pub const fn evenly(times: u32, every: Duration) -> Self {
        Self(Waits::Set {
            times,
            first: every,
            longest: every,
        })
    }

    /// As [`Self::evenly`], with pauses that double from one second to `longest`.
    pub const fn doubling(times: u32, longest: Duration) -> Self {
        Self(Waits::Set {
            times,
            first: Duration::from_secs(1),
            longest,
        })
    }

    /// How long to wait before the next try; `None` where this outcome is the last word.
    fn wait(self, tried: u32, outcome: &Result<Answer>) -> Option<Duration> {
        match (self.0, outcome) {
            (Waits::Listed(waits), Ok(answer)) if is_busy(answer.status()) => {
                waits.get(usize::try_from(tried).ok()?).copied()
            }
            (Waits::Listed(_), _) => None,
            (Waits::Set { times, .. }, _) if tried >= times => None,
            (Waits::Set { first, longest, .. }, outcome) => {
                let planned = first
                    .saturating_mul(2_u32.saturating_pow(tried))
                    .min(longest);
                pause(planned, outcome)
            }
        }
    }
}

/// The pause after an outcome that another try may change.
fn pause(planned: Duration, outcome: &Result<Answer>) -> Option<Duration> {
    match outcome {
        Ok(answer) if is_busy(answer.status()) => {
            let told = answer.error().and_then(|error| error.retry_after());
            let wait = told.unwrap_or(planned);
            told.is_none_or(|told| told <= LONGEST_WAIT).then_some(wait)
        }
        Err(error) if error.kind() == &ErrorKind::Unreachable => Some(planned),
        _ => None,
    }
}

impl Rest {
    /// A client without credentials. `provider` is the metric's label.
    pub fn new(ctx: &Ctx, provider: &'static str, base: Address, tls: &Tls) -> Result<Self> {
        Ok(Self {
            ctx: ctx.clone(),
            provider,
            http: ctx.http(tls)?,
            base,
            auth: Arc::new(Anonymous),
            agent: None,
            limit: MAX_ANSWER,
            repeat: Repeat::NEVER,
        })
    }

    /// The same client with credentials on every request.
    pub fn signed(mut self, auth: impl Authenticator + 'static) -> Self {
        self.auth = Arc::new(auth);
        self
    }

    /// The same client with another `User-Agent`.
    pub fn agent(mut self, agent: &'static str) -> Self {
        self.agent = Some(agent);
        self
    }

    /// The same client with another limit on the bytes of an answer.
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// The same client that repeats requests while the backend is busy.
    pub fn repeating(mut self, repeat: Repeat) -> Self {
        self.repeat = repeat;
        self
    }

    /// The same client at another address.
    pub fn at(mut self, base: Address) -> Self {
        self.base = base;
        self
    }

    /// The address of the backend.
    pub fn base(&self) -> &Address {
        &self.base
    }

    /// The context of the store.
    pub fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    /// Begins a request to a path below the base; encode its parts before.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, self.base.join(path));
        match self.agent {
            Some(agent) => request.header("user-agent", agent),
            None => request,
        }
    }

    /// Begins a GET request.
    pub fn get(&self, path: &str) -> RequestBuilder {
        self.request(Method::GET, path)
    }

    /// Begins a POST request.
    pub fn post(&self, path: &str) -> RequestBuilder {
        self.request(Method::POST, path)
    }

    /// Sends a request with credentials. `check` turns an answer that is no success into an error;
    /// `call` is the metric's label.
    pub async fn send(
        &self,
        call: &'static str,
        request: RequestBuilder,
        check: impl FnOnce(Answer) -> Result<Answer>,
    ) -> Result<Answer> {
        self.call(call, request.build()?, check).await
    }

    /// As [`Self::send`], for a request that is complete, so that error texts can name it.
    pub async fn call(
        &self,
        call: &'static str,
        request: Request,
        check: impl FnOnce(Answer) -> Result<Answer>,
    ) -> Result<Answer> {
        let answer = self.persist(request).await;
        let answer = answer.and_then(|answer| self.within_limit(answer));
        self.ctx
            .counted(self.provider, call, answer.and_then(check))
    }

    /// Counts one call that was made past [`Self::send`], such as a login.
    pub fn counted<T>(&self, call: &'static str, result: Result<T>) -> Result<T> {
        self.ctx.counted(self.provider, call, result)
    }

    /// Asks again while the backend is busy, where the provider's own client does so.
    async fn persist(&self, request: Request) -> Result<Answer> {
        let mut tried = 0;
        loop {
            let outcome = self.exchange(request.clone()).await;
            let Some(wait) = self.repeat.wait(tried, &outcome) else {
                return outcome;
            };
            self.ctx.time().sleep(wait).await;
            tried += 1;
        }
    }

    /// A refused token is dropped and the request repeated once with a new one: it may have been
    /// revoked before its end. A second refusal is the backend's word.
    async fn exchange(&self, request: Request) -> Result<Answer> {
        let mut first = request.clone();
        let used = self.auth.authorize(&mut first).await?;
        let answer = self.http.exchange(first).await?;
        let Some(token) = used.filter(|_| answer.status() == StatusCode::UNAUTHORIZED) else {
            return Ok(answer);
        };
        self.auth.forget(&token);
        let mut second = request;
        self.auth.authorize(&mut second).await?;
        self.http.exchange(second).await
    }

    fn within_limit(&self, answer: Answer) -> Result<Answer> {
        let length = answer.expose_body().len();
        if length <= self.limit {
            return Ok(answer);
        }
        Err(Error::invalid_data(format!(
            "the backend's answer has {length} bytes; at most {} are taken",
            self.limit
        )))
    }
}

fn is_busy(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()
}

#[cfg(test)]
mod tests;
