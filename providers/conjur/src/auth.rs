//! From the spec's `auth` to a session: an API key, a JSON web token or a client certificate is
//! exchanged for an access token, which every request carries in base64. Credentials are resolved
//! once a connection; nothing is sent before the first read.

use std::time::Duration;

use lockstep_provider_api::http::{Identity, Tls, encode_component, encode_segment};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::base64::{Encoding, decode, encode};
use lockstep_provider_kit::{Rest, Scheme, Session, with_default_key};
use serde::Deserialize;

use crate::error;
use crate::spec::{ApiKey, Auth, Cert, Jwt};

const SCHEME: Scheme = Scheme::authorization("Token token=\"", "\"");
/// Life of an access token that does not say when it ends.
const LIFE: u64 = 8 * 60;
/// Life of a token that is requested for a ServiceAccount.
const TOKEN_LIFE: Duration = Duration::from_mins(10);

/// Who signs in, and what the sign-in sends.
pub(crate) struct Credentials {
    /// The account that variables belong to unless they name another.
    pub(crate) account: String,
    path: String,
    body: Body,
    certificate: Option<Fingerprint>,
}

#[derive(Clone)]
enum Body {
    Key(SecretValue),
    Jwt(SecretValue),
    None,
}

/// Resolves the credentials; a client certificate goes into `trust`.
pub(crate) async fn resolve(auth: &Auth, ctx: &Ctx, trust: &mut Tls) -> Result<Credentials> {
    match auth {
        Auth {
            apikey: Some(key), ..
        } => by_key(key, ctx).await,
        Auth { jwt: Some(jwt), .. } => by_jwt(jwt, ctx).await,
        Auth {
            cert: Some(cert), ..
        } => by_certificate(cert, ctx, trust).await,
        _ => Err(Error::invalid_spec("no authentication method provided")),
    }
}

async fn by_key(auth: &ApiKey, ctx: &Ctx) -> Result<Credentials> {
    let user = named(ctx, &auth.user_ref, "Apikey.UserRef").await?;
    let key = named(ctx, &auth.api_key_ref, "Apikey.ApiKeyRef").await?;
    let user = encode_component(user.expose_utf8()?);
    Ok(Credentials {
        path: format!(
            "/authn/{}/{user}/authenticate",
            encode_component(&auth.account)
        ),
        account: auth.account.clone(),
        body: Body::Key(key),
        certificate: None,
    })
}

async fn by_jwt(auth: &Jwt, ctx: &Ctx) -> Result<Credentials> {
    let token = match (&auth.service_account_ref, &auth.secret_ref) {
        (Some(account), _) => {
            let token = ctx.service_account_token(account, &[], TOKEN_LIFE).await;
            token.map_err(|error| {
                let name = &account.name;
                error.context(format!(
                    "cannot request Kubernetes service account token for service account {name:?}"
                ))
            })?
        }
        (None, Some(selector)) => {
            let token = ctx.secret(&with_default_key(selector, "token")).await;
            token.map_err(|error| error.context("could not get JWT token from secret"))?
        }
        (None, None) => {
            return Err(Error::invalid_spec(
                "missing ServiceAccountRef or SecretRef",
            ));
        }
    };
    Ok(Credentials {
        path: service_path(
            "authn-jwt",
            &auth.service_id,
            &auth.account,
            auth.host_id.as_deref(),
        ),
        account: auth.account.clone(),
        body: Body::Jwt(token),
        certificate: None,
    })
}

async fn by_certificate(auth: &Cert, ctx: &Ctx, trust: &mut Tls) -> Result<Credentials> {
    let certificate = named(ctx, &auth.client_cert_ref, "Cert.ClientCertRef").await?;
    let identity = Identity {
        certificate: certificate.expose().to_vec(),
        key: named(ctx, &auth.client_key_ref, "Cert.ClientKeyRef").await?,
    };
    let parts = [&identity.certificate[..], identity.key.expose()];
    let certificate = Some(Fingerprint::of(parts));
    trust.identity = Some(identity);
    // Other than a token, a certificate signs in hosts alone, and their prefix may be left out.
    let host = auth.host_id.as_deref().filter(|host| !host.is_empty());
    let host = host.map(|host| match host.strip_prefix("host/") {
        Some(_) => host.to_owned(),
        None => format!("host/{host}"),
    });
    let (service, account) = (&auth.service_id, &auth.account);
    Ok(Credentials {
        path: service_path("authn-cert", service, account, host.as_deref()),
        account: auth.account.clone(),
        body: Body::None,
        certificate,
    })
}

/// Reads a credential and says which one failed.
async fn named(ctx: &Ctx, selector: &SecretKeySelector, name: &str) -> Result<SecretValue> {
    let read = ctx.secret(selector).await;
    read.map_err(|error| error.context(format!("could not get Auth.{name}")))
}

/// A host id is one segment of the path.
fn service_path(kind: &str, service: &str, account: &str, host: Option<&str>) -> String {
    let host = host.filter(|host| !host.is_empty());
    let host = host.map_or_else(String::new, |host| format!("/{}", encode_segment(host)));
    let (service, account) = (encode_component(service), encode_component(account));
    format!("/{kind}/{service}/{account}{host}/authenticate")
}

impl Credentials {
    /// The session of this identity at the server of `rest`.
    pub(crate) fn session(self, rest: &Rest) -> Session {
        let (kind, secret) = match &self.body {
            Body::Key(key) => ("conjur key", key.expose()),
            Body::Jwt(token) => ("conjur jwt", token.expose()),
            Body::None => ("conjur certificate", &[][..]),
        };
        let certificate = self
            .certificate
            .map(Fingerprint::to_bytes)
            .unwrap_or_default();
        let key = Fingerprint::of([
            kind.as_bytes(),
            rest.base().as_str().as_bytes(),
            self.path.as_bytes(),
            secret,
            &certificate,
        ]);
        let (path, body, login) = (self.path, self.body, rest.clone());
        Session::new(rest.ctx(), key, SCHEME, move || {
            let (path, body, rest) = (path.clone(), body.clone(), login.clone());
            async move { sign_in(&rest, &path, &body).await }
        })
    }
}

async fn sign_in(rest: &Rest, path: &str, body: &Body) -> Result<AccessToken> {
    let request = rest.post(path);
    let request = match body {
        Body::Key(key) => request.body("text/plain", key.without_final_newline().to_vec()),
        Body::Jwt(token) => request.form(&[("jwt", token.expose_utf8()?.trim_end())]),
        Body::None => request,
    };
    let answer = rest.send("Authenticate", request, error::check).await?;
    let now = rest.ctx().now();
    let token = answer.into_secret();
    let life = life(&token).unwrap_or(LIFE);
    let value = SecretValue::from(encode(Encoding::Standard, token.expose()));
    Ok(AccessToken::lasting(value, life, now))
}

#[derive(Deserialize)]
struct Envelope {
    payload: String,
}

#[derive(Deserialize)]
struct Claims {
    iat: i64,
    exp: i64,
}

/// How many seconds a token lives, where it says so. Only the difference of its times counts: the
/// server's clock need not be ours.
fn life(token: &SecretValue) -> Option<u64> {
    let envelope: Envelope = serde_json::from_slice(token.expose()).ok()?;
    let claims = SecretValue::new(decode(Encoding::Standard, envelope.payload.as_bytes()).ok()?);
    let claims: Claims = serde_json::from_slice(claims.expose()).ok()?;
    u64::try_from(claims.exp.checked_sub(claims.iat)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(claims: &str) -> SecretValue {
        let payload = encode(Encoding::Standard, claims);
        SecretValue::from(format!(
            r#"{{"protected":"","payload":"{payload}","signature":""}}"#
        ))
    }

    #[test]
    fn a_token_lives_as_long_as_it_says() {
        assert_eq!(life(&token(r#"{"iat":100,"exp":3700}"#)), Some(3600));
        assert_eq!(life(&token(r#"{"iat":100}"#)), None);
        assert_eq!(life(&"no token".into()), None);
    }

    #[test]
    fn a_host_is_one_segment_of_the_path() {
        let with = service_path("authn-jwt", "svc", "acc", Some("host/app"));
        let without = service_path("authn-jwt", "svc", "acc", None);

        assert_eq!(with, "/authn-jwt/svc/acc/host%2Fapp/authenticate");
        assert_eq!(without, "/authn-jwt/svc/acc/authenticate");
    }
}
