//! From the spec's `auth` to what signs calls: an access token, or the credentials of a service account,
//! which sign a proof that is exchanged for one.

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_provider_api::http::Tls;
use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::auth::Authenticator;
use lockstep_provider_kit::grpc::{Channel, Rpc};
use lockstep_provider_kit::{Scheme, Session, StaticHeader, golang_jwt};
use serde::Deserialize;
use serde_json::json;

use crate::api::{PROVIDER, channel, place};
use crate::error::by_code;
use crate::messages::{CreateTokenResponse, ExchangeTokenRequest};
use crate::spec::{Given, NebiusmysteryboxSpec};

const EXCHANGE: Rpc = Rpc {
    path: "/nebius.iam.v1.TokenExchangeService/Exchange",
    call: "Auth",
};
/// Whom a proof is for, wherever it is sent.
const AUDIENCE: &str = "token-service.iam.new.nebiuscloud.net";
/// Seconds that a proof lives: as long as the exchange takes.
const LIFE: i64 = 60;

/// The file that Nebius hands out for a service account.
#[derive(Deserialize)]
struct Credentials {
    #[serde(default, rename = "subject-credentials")]
    subject: Subject,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Subject {
    #[serde(rename = "private-key")]
    private_key: String,
    kid: String,
    sub: String,
}

/// Resolves the credentials, and exchanges them so that a refusal shows at the store.
pub(crate) async fn connect(
    spec: &NebiusmysteryboxSpec,
    tls: &Tls,
    ctx: &Ctx,
) -> Result<Arc<dyn Authenticator>> {
    match spec.auth.given()? {
        Given::Token(selector) => {
            let token = read("token secret", selector, ctx).await?;
            Ok(Arc::new(StaticHeader::new(Scheme::BEARER, token)))
        }
        Given::Account(selector) => {
            let credentials = read("service account creds", selector, ctx).await?;
            let session = session(&credentials, spec, tls, ctx)?;
            session.token().await?;
            Ok(Arc::new(session))
        }
    }
}

/// A credential without the white space around it.
async fn read(what: &str, selector: &SecretKeySelector, ctx: &Ctx) -> Result<SecretValue> {
    let value = ctx.secret(selector).await;
    let value =
        value.map_err(|error| error.context(format!("read {what} {}", place(selector, ctx))))?;
    Ok(SecretValue::new(value.expose().trim_ascii().to_vec()))
}

fn session(
    credentials: &SecretValue,
    spec: &NebiusmysteryboxSpec,
    tls: &Tls,
    ctx: &Ctx,
) -> Result<Session> {
    let parsed: Credentials = serde_json::from_slice(credentials.expose()).map_err(|_| {
        failed(Error::invalid_spec(
            "invalid subject credentials: malformed JSON",
        ))
    })?;
    let iam = channel("tokens.iam", spec, tls, ctx).map_err(unexchanged)?;
    let pem = SecretValue::from(parsed.subject.private_key);
    let key = golang_jwt::rsa_key(&pem).map_err(|error| {
        unexchanged(
            error.map_message(|why| format!("invalid subject credentials: cannot be signed {why}")),
        )
    })?;
    let signer = Arc::new(Signer {
        key,
        kid: parsed.subject.kid,
        account: parsed.subject.sub,
    });
    let identity = Fingerprint::of([
        PROVIDER.as_bytes(),
        spec.api_domain.as_bytes(),
        tls.ca.as_deref().unwrap_or_default(),
        signer.kid.as_bytes(),
        signer.account.as_bytes(),
        pem.expose(),
    ]);
    let asked = ctx.clone();
    Ok(Session::new(ctx, identity, Scheme::BEARER, move || {
        let (signer, iam, ctx) = (Arc::clone(&signer), iam.clone(), asked.clone());
        async move { exchange(&signer, &iam, &ctx).await.map_err(unexchanged) }
    }))
}

fn failed(error: Error) -> Error {
    error.context("failed to retrieve iam token by credentials")
}

fn unexchanged(error: Error) -> Error {
    failed(error.context("could not exchange creds to iam token"))
}

struct Signer {
    key: RsaKey,
    kid: String,
    account: String,
}

impl Signer {
    fn proof(&self, now: Timestamp) -> Result<SecretValue> {
        let issued = now.as_second();
        let header = json!({ "alg": "RS256", "kid": self.kid, "typ": "JWT" });
        let claims = json!({
            "iss": self.account,
            "sub": self.account,
            "aud": [AUDIENCE],
            "exp": issued + LIFE,
            "iat": issued,
        });
        self.key.sign(&header, &claims)
    }
}

async fn exchange(signer: &Signer, iam: &Channel, ctx: &Ctx) -> Result<AccessToken> {
    let urn = |kind: &str| format!("urn:ietf:params:oauth:{kind}");
    let question = ExchangeTokenRequest {
        grant_type: urn("grant-type:token-exchange"),
        requested_token_type: urn("token-type:access_token"),
        subject_token: signer.proof(ctx.now())?.expose_utf8()?.to_owned(),
        subject_token_type: urn("token-type:jwt"),
    };
    let answer: Result<CreateTokenResponse> = iam.call(EXCHANGE, &question).await;
    let answer = answer.map_err(|error| by_code("create token", error))?;
    let seconds = u64::try_from(answer.expires_in).unwrap_or_default();
    let token = SecretValue::from(answer.access_token.trim());
    Ok(AccessToken::lasting(token, seconds, ctx.now()))
}
