//! From the spec's `auth` to an identity: the first way to log in that is given, the operator's own
//! where none is. One token serves every connection of an identity until it is nearly over.

use std::fmt;
use std::sync::Arc;

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint, TokenCache};
pub(crate) use lockstep_provider_kit::cloud::google::METRIC;
use lockstep_provider_kit::cloud::google::workload_identity::{
    ACCOUNT_ANNOTATION, Binding, TOKEN_LIFE,
};
use lockstep_provider_kit::cloud::google::{SCOPE, exchange, impersonation, metadata};

use crate::spec::{GcpsmSpec, given};

mod ambient;
mod federation;
mod key;
mod workload_identity;

/// Upstream's words in front of what goes wrong before the first token.
const NO_CLIENT: &str = "failed to create GCP secretmanager client";

/// Who asks. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Identity(Arc<Inner>);

struct Inner {
    who: String,
    fingerprint: Fingerprint,
    source: Source,
    ctx: Ctx,
}

/// Where tokens come from.
enum Source {
    Key(Box<key::ServiceAccountKey>),
    Workload(Box<Binding>),
    External(Box<federation::ExternalAccount>),
    User(Box<ambient::User>),
    Impersonated(Box<ambient::Impersonated>),
    Metadata,
}

impl Identity {
    fn new(who: String, fingerprint: Fingerprint, source: Source, ctx: &Ctx) -> Self {
        Self(Arc::new(Inner {
            who,
            fingerprint,
            source,
            ctx: ctx.clone(),
        }))
    }

    /// Whose token it is, for messages.
    pub(crate) fn who(&self) -> &str {
        &self.0.who
    }

    /// A token that is still good for a while.
    pub(crate) async fn token(&self) -> Result<SecretValue> {
        let ctx = &self.0.ctx;
        let cache = ctx.shared::<TokenCache>();
        let fetch = || Box::pin(self.0.source.fetch(&self.0.who, ctx));
        cache.get(self.0.fingerprint, &*ctx.time(), fetch).await
    }

    /// A new token with its end, for those who hand it on.
    pub(crate) async fn new_token(&self) -> Result<AccessToken> {
        let made = Box::pin(self.0.source.fetch(&self.0.who, &self.0.ctx)).await;
        made.map_err(|error| self.0.source.failed(absent_is_invalid(error)))
    }

    /// Forgets a token that was refused.
    pub(crate) fn forget(&self, refused: &SecretValue) {
        let cache = self.0.ctx.shared::<TokenCache>();
        cache.forget(self.0.fingerprint, refused);
    }
}

impl Source {
    async fn fetch(&self, who: &str, ctx: &Ctx) -> Result<AccessToken> {
        match self {
            Self::Key(key) => key.token(who, ctx).await,
            Self::Workload(binding) => binding.token(who, ctx).await,
            Self::External(account) => account.token(who, ctx).await,
            Self::User(user) => user.token(who, ctx).await,
            Self::Impersonated(account) => account.token(who, ctx).await,
            Self::Metadata => metadata::token(ctx).await,
        }
    }

    /// Upstream's words for a token that could not be had.
    fn failed(&self, error: Error) -> Error {
        match self {
            Self::Workload(_) => error.context(NO_CLIENT),
            _ => error.context("unable to get credentials"),
        }
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({})", self.0.who)
    }
}

/// Logs in, so that a credential that Google does not know fails the store and not its readers.
pub(crate) async fn log_in(spec: &GcpsmSpec, ctx: &Ctx) -> Result<Identity> {
    let identity = Box::pin(identity(spec, ctx)).await;
    let identity = identity.map_err(|error| error.context(NO_CLIENT))?;
    match Box::pin(identity.token()).await {
        Ok(_) => Ok(identity),
        Err(error) => Err(identity.0.source.failed(absent_is_invalid(error))),
    }
}

/// The identity of a spec. No token is requested yet.
pub(crate) async fn identity(spec: &GcpsmSpec, ctx: &Ctx) -> Result<Identity> {
    let auth = spec.auth();
    if let Some(key) = &auth.secret_ref {
        let text = ctx.secret(&key.secret_access_key).await?;
        let key = key::ServiceAccountKey::parse(&text)
            .map_err(|error| error.context("failed to process the provided JSON credentials"))?;
        return Ok(of_key(key, ctx));
    }
    if let Some(workload) = &auth.workload_identity {
        return workload_identity::identity(workload, ctx).await;
    }
    if let Some(federation) = &auth.workload_identity_federation {
        return federation::identity(federation, ctx).await;
    }
    ambient::identity(ctx)
}

fn of_key(key: key::ServiceAccountKey, ctx: &Ctx) -> Identity {
    let who = format!("service account {}", key.email());
    let fingerprint = key.fingerprint();
    Identity::new(who, fingerprint, Source::Key(Box::new(key)), ctx)
}

/// The project of the secrets: the spec's, else that of the cluster, else what the metadata server
/// says. A key never falls back, as upstream has it.
pub(crate) async fn project(spec: &GcpsmSpec, ctx: &Ctx) -> Result<String> {
    let auth = spec.auth();
    let cluster = auth.workload_identity.as_ref();
    let cluster = cluster.and_then(|identity| identity.cluster_project_id.as_deref());
    let named = given(spec.project_id.as_deref()).or_else(|| given(cluster));
    if let Some(project) = named {
        return Ok(project.to_owned());
    }
    if auth.secret_ref.is_none()
        && ctx.ambient().is_some()
        && let Ok(project) = metadata::project(ctx).await
    {
        return Ok(project);
    }
    Err(Error::invalid_spec("unable to find ProjectID in storeSpec"))
}

/// The namespace that a selector means, without tying a shared connection to its caller where the
/// selector names one.
fn namespace_of(wanted: Option<&str>, ctx: &Ctx) -> Result<String> {
    let own = ctx.store().namespace.as_deref();
    let named = own.or_else(|| given(wanted)).map(str::to_owned);
    let found = named.or_else(|| ctx.scope().home().map(str::to_owned));
    found.ok_or_else(|| {
        Error::invalid_spec(
            "the selector has no namespace and the store has no caller yet; set its namespace",
        )
    })
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
