//! The operator's own identity (application default credentials): the file that
//! `GOOGLE_APPLICATION_CREDENTIALS` names, the one that `gcloud auth application-default login`
//! leaves, else the metadata server. The only file here that looks at the operator's surroundings.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use serde::Deserialize;

use super::federation::{self, config::Config};
use super::impersonation::Target;
use super::key::ServiceAccountKey;
use super::{Identity, Source, exchange};

const FILE: &str = "application_default_credentials.json";
const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";

/// The identity that the operator's surroundings give.
pub(super) fn identity(ctx: &Ctx) -> Result<Identity> {
    let ambient = ctx.ambient().ok_or_else(|| {
        Error::invalid_spec(
            "a store without auth cannot use the operator's own identity here; \
             set auth.secretRef, auth.workloadIdentity or auth.workloadIdentityFederation",
        )
    })?;
    if let Some(path) = ctx.variable("GOOGLE_APPLICATION_CREDENTIALS") {
        let text = ambient.read(&path)?;
        return of_file(&text, ctx).map_err(|error| error.context(path));
    }
    let folder = ctx.variable("CLOUDSDK_CONFIG").or_else(|| {
        let home = ctx.variable("HOME")?;
        Some(format!("{home}/.config/gcloud"))
    });
    let path = folder.map(|folder| format!("{folder}/{FILE}"));
    if let Some(path) = path
        && let Ok(text) = ambient.read(&path)
    {
        return of_file(&text, ctx).map_err(|error| error.context(path));
    }
    let who = "the operator's own identity (metadata server)".to_owned();
    let fingerprint = Fingerprint::of(["gcp metadata"]);
    Ok(Identity::new(who, fingerprint, Source::Metadata, ctx))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Kind {
    #[serde(rename = "type")]
    kind: String,
}

fn of_file(text: &SecretValue, ctx: &Ctx) -> Result<Identity> {
    let Kind { kind } = serde_json::from_slice(text.expose())
        .map_err(|_| Error::invalid_spec("the file is not a JSON object"))?;
    match kind.as_str() {
        "service_account" => Ok(super::of_key(ServiceAccountKey::parse(text)?, ctx)),
        "external_account" => {
            let config = Config::parse(text.expose_utf8()?)?;
            Ok(federation::of_config(config)?.into_identity(ctx))
        }
        "authorized_user" => {
            let user: User = parse(text)?;
            let who = "the operator's own identity (a user's login)".to_owned();
            let fingerprint = Fingerprint::of([b"gcp user".as_slice(), text.expose()]);
            Ok(Identity::new(
                who,
                fingerprint,
                Source::User(Box::new(user)),
                ctx,
            ))
        }
        "impersonated_service_account" => {
            let file: ImpersonatedFile = parse(text)?;
            let fingerprint = Fingerprint::of([b"gcp impersonated".as_slice(), text.expose()]);
            let source = of_file(&source_text(text)?, ctx)?;
            let target = Target::at(file.service_account_impersonation_url).through(file.delegates);
            let who = format!("{} acting as {}", source.who(), target.email());
            let account = Impersonated { source, target };
            let source = Source::Impersonated(Box::new(account));
            Ok(Identity::new(who, fingerprint, source, ctx))
        }
        other => Err(Error::invalid_spec(format!(
            "credentials of type {other:?} are not supported; use service_account, \
             external_account, authorized_user or impersonated_service_account"
        ))),
    }
}

fn parse<T: for<'de> Deserialize<'de>>(text: &SecretValue) -> Result<T> {
    serde_json::from_slice(text.expose())
        .map_err(|_| Error::invalid_spec("the file lacks a member or has one of another type"))
}

/// The credentials that an impersonating file carries inside.
fn source_text(text: &SecretValue) -> Result<SecretValue> {
    let file: serde_json::Value = parse(text)?;
    Ok(SecretValue::from(file["source_credentials"].to_string()))
}

/// A user's login, as `gcloud auth application-default login` keeps it.
#[derive(Deserialize)]
pub(super) struct User {
    client_id: String,
    client_secret: String,
    refresh_token: String,
    #[serde(default)]
    token_uri: Option<String>,
}

impl User {
    pub(super) async fn token(&self, who: &str, ctx: &Ctx) -> Result<AccessToken> {
        let fields = [
            ("grant_type", "refresh_token"),
            ("client_id", self.client_id.as_str()),
            ("client_secret", &self.client_secret),
            ("refresh_token", &self.refresh_token),
        ];
        let url = self.token_uri.as_deref().unwrap_or(TOKEN_URL);
        let request = exchange::client(ctx)?.post(url).form(&fields);
        let answer = exchange::send("the token endpoint", request, ctx).await?;
        let Some(refusal) = exchange::refusal(&answer) else {
            return exchange::granted(&answer, "the token endpoint", ctx);
        };
        let text = format!(
            "oauth2: {:?} {:?} (as {who}; log in again)",
            refusal.code, refusal.text
        );
        Err(refusal.error(text, &answer))
    }
}

#[derive(Deserialize)]
struct ImpersonatedFile {
    service_account_impersonation_url: String,
    #[serde(default)]
    delegates: Vec<String>,
}

/// An identity that acts as a service account.
pub(super) struct Impersonated {
    source: Identity,
    target: Target,
}

impl Impersonated {
    pub(super) async fn token(&self, who: &str, ctx: &Ctx) -> Result<AccessToken> {
        let own = Box::pin(self.source.token()).await?;
        self.target.token(&own, who, ctx).await
    }
}
