//! From the spec's `auth` to a signed-in session: a client gets a token first, then token or API key are
//! exchanged for a session cookie. Who uses a session and when it ends is decided in `session`.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::not_absence;
use lockstep_provider_kit::login::cookies;
use lockstep_provider_kit::{Rest, Scheme, SecretOrValue, StaticHeader};
use serde::Deserialize;

use crate::error;
use crate::spec::{Auth, HALF_OAUTH, NO_METHOD, check_one};

const API_KEY: Scheme = Scheme::authorization("PS-Auth key=", "");

/// Who signs in.
pub(crate) enum Credentials {
    Key(SecretValue),
    Client {
        id: SecretValue,
        secret: SecretValue,
    },
}

/// A client certificate with its key, both PEM.
pub(crate) struct Certificate {
    pub(crate) certificate: SecretValue,
    pub(crate) key: SecretValue,
}

/// The user that a session belongs to.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct User {
    #[serde(rename = "UserId")]
    pub(crate) id: i64,
    #[serde(rename = "EmailAddress")]
    pub(crate) email: Option<String>,
    #[serde(rename = "UserName")]
    pub(crate) login: Option<String>,
    #[serde(rename = "Name")]
    pub(crate) name: Option<String>,
}

#[derive(Deserialize)]
struct Token {
    access_token: String,
}

/// Resolves who signs in.
pub(crate) async fn credentials(auth: &Auth, ctx: &Ctx) -> Result<Credentials> {
    match (&auth.api_key, &auth.client_id, &auth.client_secret) {
        (Some(key), _, _) => Ok(Credentials::Key(value(key, ctx).await?)),
        (None, Some(id), Some(secret)) => Ok(Credentials::Client {
            id: value(id, ctx)
                .await
                .map_err(|error| error.context("error loading clientID"))?,
            secret: value(secret, ctx)
                .await
                .map_err(|error| error.context("error loading clientSecret"))?,
        }),
        (None, None, None) => Err(Error::invalid_spec(NO_METHOD)),
        _ => Err(Error::invalid_spec(HALF_OAUTH)),
    }
}

/// Resolves the client certificate; half a pair is none.
pub(crate) async fn certificate(auth: &Auth, ctx: &Ctx) -> Result<Option<Certificate>> {
    let (Some(certificate), Some(key)) = (&auth.certificate, &auth.certificate_key) else {
        return Ok(None);
    };
    let certificate = value(certificate, ctx).await;
    let certificate = certificate.map_err(|error| error.context("error loading Certificate"))?;
    let key = value(key, ctx).await;
    let key = key.map_err(|error| error.context("error loading Certificate Key"))?;
    if certificate.is_empty() || key.is_empty() {
        return Ok(None);
    }
    Ok(Some(Certificate { certificate, key }))
}

async fn value(field: &SecretOrValue, ctx: &Ctx) -> Result<SecretValue> {
    check_one(field)?;
    match &field.secret_ref {
        Some(selector) => ctx.secret(selector).await,
        None => Ok(SecretValue::from(
            field.value.as_deref().unwrap_or_default(),
        )),
    }
}

impl Credentials {
    /// Signs in and gives the session's cookie, where the server set one, and its user. A sign-in that
    /// fails is never absence.
    pub(crate) async fn sign_in(&self, rest: &Rest) -> Result<(Option<SecretValue>, User)> {
        self.exchange(rest).await.map_err(not_absence)
    }

    async fn exchange(&self, rest: &Rest) -> Result<(Option<SecretValue>, User)> {
        let header = match self {
            Self::Key(key) => StaticHeader::new(API_KEY, key.clone()),
            Self::Client { id, secret } => {
                let token = token(rest, id, secret).await?;
                StaticHeader::new(Scheme::BEARER, token)
            }
        };
        let rest = rest.clone().signed(header);
        let request = rest.post("/Auth/SignAppIn");
        let request = request.header("content-type", "application/json");
        let answer = rest.send("SignAppIn", request, error::check).await?;
        let user = answer.json()?;
        Ok((cookies(&answer).ok(), user))
    }
}

async fn token(rest: &Rest, id: &SecretValue, secret: &SecretValue) -> Result<SecretValue> {
    let text = |value: &SecretValue| -> Result<String> {
        let text = value.expose_utf8()?;
        Ok(text.trim_end_matches(['\r', '\n']).to_owned())
    };
    let request = rest.post("/Auth/connect/token").form(&[
        ("client_id", &text(id)?),
        ("client_secret", &text(secret)?),
        ("grant_type", "client_credentials"),
    ]);
    let answer = rest.send("GetToken", request, error::check).await?;
    let token: Token = answer.json()?;
    Ok(SecretValue::from(token.access_token))
}
