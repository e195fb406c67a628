//! The requests to a vault: signed in, repeated while that may help, counted, and their failures
//! explained. Every request to the data plane goes through here.

use std::sync::OnceLock;
use std::time::Duration;

use http::Uri;
use lockstep_provider_api::http::{
    Answer, HttpClient, Method, RequestBuilder, Tls, encode_component,
};
use lockstep_provider_api::prelude::*;
use serde_json::Value;

use crate::auth::Identity;
use crate::challenge::{self, Challenge};
use crate::cloud::{Audience, Cloud};
use crate::error::{self, Failure, Place};
use crate::object::{Kind, is_segment};

/// Version of the data plane that is spoken.
const VERSION: &str = "7.4";
/// Name in `externalsecret_provider_api_calls_count`.
const METRIC: &str = "Azure/KeyVault";
/// Attempts of a request that the vault could not serve.
const ATTEMPTS: u32 = 3;
const DELAY: Duration = Duration::from_millis(800);
/// Longest wait that the vault may ask for inside of a call; the scheduler waits better.
const PATIENCE: Duration = Duration::from_secs(2);

/// A vault, as one identity sees it.
#[derive(Debug)]
pub(crate) struct Vault {
    http: HttpClient,
    /// Scheme and host.
    base: String,
    host: String,
    identity: Identity,
    audience: Audience,
    /// What the vault told, where it is asked for the audience.
    told: OnceLock<String>,
    ctx: Ctx,
}

/// One request, for messages and metrics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    /// Its name in metrics.
    pub(crate) operation: &'static str,
    pub(crate) kind: Kind,
    /// The object; empty for lists.
    pub(crate) name: &'a str,
}

impl Vault {
    pub(crate) fn new(vault: &Uri, cloud: &Cloud, identity: Identity, ctx: Ctx) -> Result<Self> {
        let scheme = vault.scheme_str().unwrap_or("https");
        let authority = vault.authority().map_or("", |authority| authority.as_str());
        Ok(Self {
            http: ctx.http(&Tls::default())?,
            base: format!("{scheme}://{authority}"),
            host: vault.host().unwrap_or_default().to_owned(),
            identity,
            audience: cloud.audience.clone(),
            told: OnceLock::new(),
            ctx,
        })
    }

    pub(crate) fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    /// Name of the vault as tools of Azure want it.
    pub(crate) fn name(&self) -> &str {
        self.host.split('.').next().unwrap_or(&self.host)
    }

    /// One version of an object; the current one where none is named.
    pub(crate) async fn get(
        &self,
        kind: Kind,
        name: &str,
        version: Option<&str>,
    ) -> Result<Answer, Failure> {
        let version = version.unwrap_or_default();
        if !version.is_empty() && !is_segment(version) {
            let text = format!("version {version:?} is not valid; give the id of a version");
            return Err(Error::invalid_spec(text).into());
        }
        let call = Call {
            operation: match kind {
                Kind::Secret => "GetSecret",
                Kind::Certificate => "GetCertificate",
                Kind::Key => "GetKey",
            },
            kind,
            name,
        };
        let path = format!(
            "{}/{}/{}",
            kind.path(),
            encode_component(name),
            encode_component(version)
        );
        self.call(call, Method::GET, &path, None).await
    }

    /// What is left of a deleted object.
    pub(crate) async fn get_deleted(&self, kind: Kind, name: &str) -> Result<Answer, Failure> {
        let call = Call {
            operation: match kind {
                Kind::Secret => "GetDeletedSecret",
                Kind::Certificate => "GetDeletedCertificate",
                Kind::Key => "GetDeletedKey",
            },
            kind,
            name,
        };
        let path = format!("deleted{}/{}", kind.path(), encode_component(name));
        self.call(call, Method::GET, &path, None).await
    }

    /// Makes one request; `path` is below the vault.
    pub(crate) async fn call(
        &self,
        call: Call<'_>,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Answer, Failure> {
        let url = format!("{}/{path}", self.base);
        let prepare = |http: &HttpClient| {
            let request = http.request(method.clone(), &url);
            let request = request.query("api-version", VERSION).accept_json();
            match body {
                Some(body) => request.json(body),
                None => request,
            }
        };
        self.attempts(call, prepare).await
    }

    /// The next page of a list. Its address must be of this vault, or the token would leave it.
    pub(crate) async fn follow(&self, call: Call<'_>, link: &str) -> Result<Answer, Failure> {
        let below = link.strip_prefix(&self.base);
        if !below.is_some_and(|below| below.starts_with('/')) {
            let text = format!("the list of vault {} goes on at another host", self.host);
            return Err(Error::invalid_data(text).into());
        }
        self.attempts(call, |http| http.get(link).accept_json())
            .await
    }

    async fn attempts(
        &self,
        call: Call<'_>,
        prepare: impl Fn(&HttpClient) -> RequestBuilder + Send + Sync,
    ) -> Result<Answer, Failure> {
        let mut attempt = 1;
        let mut renewed = false;
        loop {
            let failure = match self.attempt(call, &prepare).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            // A token that was good may have been revoked; one new one is tried.
            if failure.status == 401 && !renewed {
                renewed = true;
                continue;
            }
            let transient = matches!(failure.status, 408 | 429 | 500 | 502 | 503 | 504);
            let delay = failure.error.retry_after().unwrap_or(DELAY * attempt);
            if !transient || attempt == ATTEMPTS || delay > PATIENCE {
                return Err(failure);
            }
            self.ctx.time().sleep(delay).await;
            attempt += 1;
        }
    }

    async fn attempt(
        &self,
        call: Call<'_>,
        prepare: &(impl Fn(&HttpClient) -> RequestBuilder + Send + Sync),
    ) -> Result<Answer, Failure> {
        let audience = self.audience(prepare).await?;
        let token = self.identity.token(&audience).await?;
        let sent = prepare(&self.http).bearer(&token).send().await;
        let outcome = match sent {
            Ok(answer) if answer.status().is_success() => Ok(answer),
            Ok(answer) => {
                if answer.status() == 401 {
                    self.identity.forget(&audience, &token);
                }
                Err(error::answered(&answer, &self.place(call)))
            }
            Err(error) => Err(Failure::from(error)),
        };
        let counted = match &outcome {
            Ok(_) => Ok(()),
            Err(failure) => Err(failure.error.duplicate()),
        };
        drop(self.ctx.counted(METRIC, call.operation, counted));
        outcome
    }

    /// Whom the token must be for. A vault of a cloud that is not known tells it once.
    async fn audience(
        &self,
        prepare: &(impl Fn(&HttpClient) -> RequestBuilder + Send + Sync),
    ) -> Result<String> {
        if let Audience::Fixed(audience) = self.audience {
            return Ok(audience.to_owned());
        }
        if let Some(told) = self.told.get() {
            return Ok(told.clone());
        }
        let answer = prepare(&self.http).send().await?;
        let challenge = Challenge::of(&answer).ok_or_else(|| {
            Error::invalid_data(format!(
                "vault {} asked for no token when it was asked without one",
                self.host
            ))
        })?;
        let audience = challenge::trusted(&challenge, &self.host)?;
        Ok(self.told.get_or_init(|| audience).clone())
    }

    fn place<'a>(&'a self, call: Call<'a>) -> Place<'a> {
        Place {
            call,
            vault: &self.host,
            who: self.identity.who(),
            tenant: self.identity.tenant(),
        }
    }
}
