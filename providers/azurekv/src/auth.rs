//! Which identity a store uses and how it gets its tokens. Tokens are kept by everything that can
//! change them, so that one identity signs in once however many stores and connections use it.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use lockstep_provider_api::http::{HttpClient, Tls};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint, TokenCache};

use crate::cloud::Cloud;
use crate::spec::{AuthType, AzureSpec};

mod arc;
mod assertion;
mod certificate;
mod entra;
mod managed;
mod principal;
mod refusal;
mod workload;

use entra::Application;
use managed::Machine;

/// Someone who can sign in.
#[derive(Clone)]
pub(crate) struct Identity {
    /// How the identity is called in messages.
    who: Arc<str>,
    /// Everything that can change its tokens, but the audience.
    parts: Arc<[String]>,
    source: Arc<Source>,
    http: HttpClient,
    ctx: Ctx,
}

enum Source {
    Application(Application),
    Machine(Machine),
}

/// An identity as its source describes it.
struct Described {
    who: String,
    parts: Vec<String>,
    source: Source,
}

impl Identity {
    /// The identity of a store. No token is requested yet.
    pub(crate) async fn of(spec: &AzureSpec, cloud: &Cloud, ctx: &Ctx) -> Result<Self> {
        let described = match spec.auth_type {
            AuthType::ServicePrincipal => principal::describe(spec, cloud, ctx).await?,
            AuthType::ManagedIdentity => managed::describe(spec, ctx)?,
            AuthType::WorkloadIdentity => workload::describe(spec, cloud, ctx).await?,
        };
        Ok(Self {
            who: described.who.into(),
            parts: described.parts.into(),
            source: Arc::new(described.source),
            http: ctx.http(&Tls::default())?,
            ctx: ctx.clone(),
        })
    }

    pub(crate) fn who(&self) -> &str {
        &self.who
    }

    /// The tenant it signs in at; the machine's is not known.
    pub(crate) fn tenant(&self) -> Option<&str> {
        match &*self.source {
            Source::Application(application) => Some(&application.tenant),
            Source::Machine(_) => None,
        }
    }

    /// A token for an audience.
    pub(crate) async fn token(&self, audience: &str) -> Result<SecretValue> {
        let cache = self.ctx.shared::<TokenCache>();
        let time = self.ctx.time();
        let request = || self.request(audience);
        cache.get(self.key(audience), &*time, request).await
    }

    /// Drops a token that was refused, so that the next use signs in again.
    pub(crate) fn forget(&self, audience: &str, refused: &SecretValue) {
        let cache = self.ctx.shared::<TokenCache>();
        cache.forget(self.key(audience), refused);
    }

    async fn request(&self, audience: &str) -> Result<AccessToken> {
        let answered = match &*self.source {
            Source::Application(application) => {
                application.request(audience, &self.http, &self.ctx).await
            }
            Source::Machine(machine) => machine.request(audience, &self.http, &self.ctx).await,
        };
        answered.map_err(|error| error.context(format!("cannot sign in as {}", self.who)))
    }

    fn key(&self, audience: &str) -> Fingerprint {
        let own = self.parts.iter().map(String::as_str);
        Fingerprint::of(["azure"].into_iter().chain(own).chain([audience]))
    }
}

/// A credential without the white space that a file or an editor left around it.
async fn text_of(
    selector: &lockstep_provider_api::selector::SecretKeySelector,
    ctx: &Ctx,
) -> Result<String> {
    let value = ctx.secret(selector).await?;
    Ok(value.expose_utf8()?.trim().to_owned())
}

/// The outcome of a request, or an error when none came in time.
async fn within<T>(
    limit: Duration,
    ctx: &Ctx,
    asked: &str,
    request: impl Future<Output = Result<T>> + Send,
) -> Result<T> {
    let request = std::pin::pin!(request);
    match select(request, ctx.time().sleep(limit)).await {
        Either::Left((done, _)) => done,
        Either::Right(_) => Err(Error::unreachable(format!(
            "{asked} gave no answer within {limit:?}"
        ))),
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Identity").field(&self.who).finish()
    }
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::conformance::{ManualTime, block_on, services};

    use super::*;

    #[test]
    fn a_token_endpoint_that_never_answers_is_an_outage() {
        let ctx = services().timed(ManualTime::hasty()).ctx("s");
        let never = std::future::pending::<Result<()>>();

        let error = block_on(within(Duration::from_secs(10), &ctx, "login", never)).unwrap_err();

        assert_eq!(error.kind(), &ErrorKind::Unreachable);
        assert_eq!(error.to_string(), "login gave no answer within 10s");
    }
}
