//! Which identity a store uses, in upstream's order: a ServiceAccount, static keys, the operator's
//! own surroundings; then a chain of roles on top. Every link is cached by what it was made of, so
//! one identity signs in once however many stores and connections use it.

use aws_config::SdkConfig;
use aws_credential_types::Credentials;
use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider, future};
use lockstep_provider_api::prelude::*;

use crate::error::ours;
use crate::sdk;
use crate::spec::{AwsSpec, StaticKeys};

mod cache;
mod roles;
mod tags;
mod web_identity;

pub(crate) use cache::Fingerprint;
use cache::{Kept, SignIns};
use roles::Role;

/// An identity that can sign requests.
#[derive(Clone, Debug)]
pub(crate) struct SignIn {
    /// How the identity is called in messages.
    who: String,
    fingerprint: Fingerprint,
    credentials: SharedCredentialsProvider,
    /// Everything that was signed in to on the way, the last first.
    kept: Vec<Kept>,
}

impl SignIn {
    pub(crate) fn who(&self) -> &str {
        &self.who
    }

    /// What the identity was made of: equal only for those who may see the same.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Drops the credentials that were refused, so that the next use signs in again.
    pub(crate) async fn forget(&self) {
        for kept in &self.kept {
            kept.forget().await;
        }
    }

    /// Signs in without using the credentials for anything.
    pub(crate) async fn check(&self) -> Result<()> {
        self.credentials().await.map(drop)
    }

    /// Signs in, for requests that no client of the SDK makes.
    pub(crate) async fn credentials(&self) -> Result<Credentials> {
        let made = self.credentials.provide_credentials().await;
        made.map_err(|error| match ours(&error) {
            Some(own) => own.duplicate(),
            None => Error::new(ErrorKind::Unauthenticated, root_cause(&error)),
        })
    }
}

/// Prepares the identity of a store and the configuration that signs with it.
pub(crate) async fn prepare(spec: &AwsSpec, ctx: &Ctx) -> Result<(SdkConfig, SignIn)> {
    let config = sdk::config(ctx, &spec.region).await?;
    let mut sign_in = first(spec, ctx, &config).await?;
    let additional = spec.additional_roles.iter().flatten();
    for arn in additional.filter(|arn| !arn.is_empty()) {
        sign_in = roles::take_on(Role::plain(arn), sign_in, &config, ctx)?;
    }
    if let Some(arn) = spec.role.as_deref().filter(|arn| !arn.is_empty()) {
        let role = Role {
            external_id: spec.external_id.clone(),
            tags: tags::of_session(spec, ctx),
            transitive: spec.transitive_tag_keys.clone().unwrap_or_default(),
            ..Role::plain(arn)
        };
        sign_in = roles::take_on(role, sign_in, &config, ctx)?;
    }
    let config = sdk::with_credentials(&config, sign_in.credentials.clone());
    Ok((config, sign_in))
}

async fn first(spec: &AwsSpec, ctx: &Ctx, config: &SdkConfig) -> Result<SignIn> {
    let auth = spec.auth.as_ref();
    if let Some(jwt) = auth.and_then(|auth| auth.jwt.as_ref()) {
        let Some(account) = &jwt.service_account_ref else {
            return Err(Error::invalid_spec(
                "auth.jwt.serviceAccountRef is missing; name the ServiceAccount to log in with",
            ));
        };
        return web_identity::sign_in(account, spec, config, ctx).await;
    }
    if let Some(keys) = auth.and_then(|auth| auth.secret_ref.as_ref()) {
        return static_keys(keys, ctx).await;
    }
    ambient(spec, config, ctx)
}

async fn static_keys(keys: &StaticKeys, ctx: &Ctx) -> Result<SignIn> {
    let read = async |selector: &Option<_>, name: &str| {
        let selector = selector.clone().unwrap_or_default();
        let value = ctx.secret(&selector).await;
        let value =
            value.map_err(|error| error.context(format!("could not fetch {name} secret")))?;
        usable(value.expose_utf8()?, name)
    };
    let secret = read(&keys.secret_access_key, "SecretAccessKey").await?;
    let id = read(&keys.access_key_id, "accessKeyID").await?;
    let token = match &keys.session_token {
        Some(_) => Some(read(&keys.session_token, "SessionToken").await?),
        None => None,
    };
    let fingerprint = Fingerprint::of(&["keys", &id, &secret, token.as_deref().unwrap_or("")]);
    let name = keys.access_key_id.as_ref().and_then(|key| key.name.clone());
    let credentials = if id.is_empty() || secret.is_empty() {
        SharedCredentialsProvider::new(Empty)
    } else {
        SharedCredentialsProvider::new(Credentials::new(id, secret, token, None, "Secret"))
    };
    Ok(SignIn {
        who: format!("the keys of Secret {:?}", name.unwrap_or_default()),
        fingerprint,
        credentials,
        kept: Vec::new(),
    })
}

/// A key without the white space that a file or an editor left around it. Anything else that no
/// header may hold is refused here: the SDK panics over it.
fn usable(key: &str, name: &str) -> Result<String> {
    let key = key.trim();
    if key.chars().all(|one| one.is_ascii_graphic()) {
        return Ok(key.to_owned());
    }
    Err(Error::invalid_data(format!(
        "the value of {name} holds white space or characters that no key has; write it again"
    )))
}

/// Keys that are there and say nothing.
#[derive(Debug)]
struct Empty;

impl ProvideCredentials for Empty {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        let text = "static credentials are empty; fill the Secret of auth.secretRef";
        let error = Error::new(ErrorKind::Unauthenticated, text);
        future::ProvideCredentials::ready(Err(CredentialsError::not_loaded(error)))
    }
}

/// The chain of the SDK: variables, profile, web identity, container, instance.
fn ambient(spec: &AwsSpec, config: &SdkConfig, ctx: &Ctx) -> Result<SignIn> {
    let chain = config
        .credentials_provider()
        .filter(|_| ctx.ambient().is_some());
    let chain = chain.ok_or_else(|| {
        Error::invalid_spec(
            "the store has no auth and may not use the operator's own identity here; \
             set auth.secretRef or auth.jwt",
        )
    })?;
    let fingerprint = Fingerprint::of(&["ambient", &spec.region]);
    let kept = ctx.shared::<SignIns>().keep(fingerprint, chain, ctx.time());
    Ok(SignIn {
        who: "the operator's own identity".to_owned(),
        fingerprint,
        credentials: SharedCredentialsProvider::new(kept.clone()),
        kept: vec![kept],
    })
}

fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
