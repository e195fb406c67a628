//! The proof of an identity of another provider: a token of a ServiceAccount, of a file or of an
//! address, or a request that is signed with keys of AWS. Every exchange makes a new one.

use lockstep_provider_api::http::Answer;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::ServiceAccountSelector;
use serde_json::Value;

use super::aws::{self, Keys};
use super::config::{Config, CredentialSource, Format};
use super::namespace_of;
use crate::auth::TOKEN_LIFE;
use crate::auth::{METRIC, exchange};
use crate::spec::AwsCredentials;

/// Where a proof comes from.
pub(super) enum Subject {
    ServiceAccount {
        account: ServiceAccountSelector,
        namespace: String,
    },
    AwsKeys {
        region: String,
        keys: Keys,
    },
    AwsMetadata(CredentialSource),
    File {
        path: String,
        format: Format,
    },
    Url(CredentialSource),
}

impl Subject {
    pub(super) fn service_account(account: &ServiceAccountSelector, ctx: &Ctx) -> Result<Self> {
        Ok(Self::ServiceAccount {
            account: account.clone(),
            namespace: namespace_of(account.namespace.as_deref(), ctx)?,
        })
    }

    pub(super) async fn aws_keys(spec: &AwsCredentials, ctx: &Ctx) -> Result<Self> {
        let place = &spec.aws_credentials_secret_ref;
        let namespace = namespace_of(place.namespace.as_deref(), ctx)?;
        let read = ctx.secret_in(&namespace, &place.name).await;
        let data = read.map_err(|error| {
            let place = format!("{namespace}/{}", place.name);
            error.context(format!(
                "failed to fetch AwsSecurityCredentials secret {place:?}"
            ))
        })?;
        let part = |name: &str| {
            let value = data.get(name).cloned().unwrap_or_default();
            SecretValue::from(value.without_final_newline())
        };
        let keys = Keys {
            id: part("aws_access_key_id"),
            secret: part("aws_secret_access_key"),
            session: part("aws_session_token"),
        };
        if keys.id.is_empty() || keys.secret.is_empty() {
            return Err(Error::invalid_spec(
                "aws_access_key_id and aws_secret_access_key keys must be present in \
                 AwsSecurityCredentials secret",
            ));
        }
        Ok(Self::AwsKeys {
            region: spec.region.clone(),
            keys,
        })
    }

    pub(super) fn of_config(config: &Config) -> Result<Self> {
        let Some(source) = &config.credential_source else {
            return Err(Error::invalid_spec(
                "oauth2/google/externalaccount: One of CredentialSource, SubjectTokenSupplier, or \
                 AwsSecurityCredentialsSupplier must be set",
            ));
        };
        Ok(if source.is_aws() {
            Self::AwsMetadata(source.clone())
        } else if source.file.is_empty() {
            Self::Url(source.clone())
        } else {
            Self::File {
                path: source.file.clone(),
                format: source.format.clone(),
            }
        })
    }

    /// Who it is, for messages.
    pub(super) fn words(&self) -> String {
        match self {
            Self::ServiceAccount { account, namespace } => {
                format!("ServiceAccount {namespace}/{}", account.name)
            }
            Self::AwsKeys { region, .. } => format!("keys of AWS in {region}"),
            Self::AwsMetadata(_) => "the instance's role of AWS".to_owned(),
            Self::File { path, .. } => format!("the token in {path}"),
            Self::Url(source) => format!("the token of {}", source.url),
        }
    }

    /// What else tells this proof from others, for the fingerprint of the identity.
    pub(super) fn proof(&self) -> Vec<u8> {
        match self {
            Self::ServiceAccount { account, .. } => {
                let audiences = account.audiences.iter().flatten();
                let audiences: Vec<_> = audiences.map(|name| format!("{name:?}")).collect();
                audiences.join(",").into_bytes()
            }
            Self::AwsKeys { keys, .. } => [keys.id.expose(), keys.secret.expose()].join(&0),
            Self::Url(source) => format!("{:?}", source.headers).into_bytes(),
            Self::AwsMetadata(_) | Self::File { .. } => Vec::new(),
        }
    }

    /// The proof itself.
    pub(super) async fn token(&self, audience: &str, ctx: &Ctx) -> Result<SecretValue> {
        match self {
            Self::ServiceAccount { account, .. } => {
                let made = ctx.service_account_token(account, &[], TOKEN_LIFE).await;
                ctx.counted(METRIC, "GenerateServiceAccountToken", made)
                    .map_err(|error| error.context("unable to fetch pod token"))
            }
            Self::AwsKeys { region, keys } => aws::request("", region, keys, audience, ctx.now()),
            Self::AwsMetadata(source) => {
                let (region, keys) = aws::surroundings(source, ctx).await?;
                let url = &source.regional_cred_verification_url;
                aws::request(url, &region, &keys, audience, ctx.now())
            }
            Self::File { path, format } => {
                let ambient = ctx.ambient().ok_or_else(|| {
                    Error::invalid_spec("files of the operator may not be read here")
                })?;
                of_text(ambient.read(path)?, format)
            }
            Self::Url(source) => {
                let answer = fetch(source, ctx).await?;
                of_text(answer.into_secret(), &source.format)
            }
        }
    }
}

async fn fetch(source: &CredentialSource, ctx: &Ctx) -> Result<Answer> {
    let mut request = exchange::client(ctx)?.get(&*source.url);
    for (name, value) in &source.headers {
        request = request.secret_header(name, &value.as_str().into());
    }
    let what = "credential_source.url";
    let answer = exchange::within(exchange::PATIENCE, what, request.send(), ctx).await?;
    match exchange::refusal(&answer) {
        None => Ok(answer),
        Some(refusal) => {
            let text = format!("{what} answered {}", refusal.status);
            Err(refusal.error(text, &answer))
        }
    }
}

/// The token in a text: all of it, or a member of the JSON that it is.
fn of_text(text: SecretValue, format: &Format) -> Result<SecretValue> {
    if format.kind != "json" {
        return Ok(SecretValue::from(text.without_final_newline()));
    }
    let name = &format.subject_token_field_name;
    let body: Value = serde_json::from_slice(text.expose())
        .map_err(|_| Error::invalid_data("the subject token's source is not JSON"))?;
    let token = body.get(name).and_then(Value::as_str);
    token.map(SecretValue::from).ok_or_else(|| {
        Error::invalid_data(format!("the subject token's source has no text {name:?}"))
    })
}
