//! From the spec's `auth` to a token: which identity, and the sign-in that Infisical wants for it.
//! Credentials are read through the context; what a cloud proves is made in `auth/proof`.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use lockstep_provider_kit::{Rest, Scheme, Session, StaticHeader};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use self::proof::Proof;
use crate::error::Called;
use crate::spec::{Auth, InfisicalSpec};

mod method;
mod proof;

/// How requests are authorized.
pub(crate) enum Access {
    /// A token that is used as it is.
    Token(StaticHeader),
    /// A machine identity that signs in.
    Session(Session),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Granted {
    access_token: String,
    #[serde(default)]
    expires_in: u64,
}

/// A header with a token.
pub(crate) fn bearer(token: SecretValue) -> StaticHeader {
    StaticHeader::new(Scheme::BEARER, token)
}

/// Resolves the credentials of the identity the spec names.
pub(crate) async fn connect(spec: &InfisicalSpec, rest: &Rest) -> Result<Access> {
    let ctx = rest.ctx();
    // The order in which upstream looks.
    if let Some(proof) = proof::of(&spec.auth, ctx).await? {
        let organization = spec.secrets_scope.organization_slug.clone();
        return Ok(Access::Session(session(rest, proof, organization)));
    }
    let Auth {
        token_auth_credentials: Some(fixed),
        ..
    } = &spec.auth
    else {
        return Err(Error::invalid_spec("authentication method not found"));
    };
    // Upstream calls the token so.
    let token = named(ctx, &fixed.access_token, "identityId").await?;
    Ok(Access::Token(bearer(token)))
}

fn session(rest: &Rest, proof: Proof, organization: Option<String>) -> Session {
    let organization = organization.filter(|slug| !slug.is_empty());
    let mut parts = vec![
        b"infisical".to_vec(),
        rest.base().as_str().as_bytes().to_vec(),
        proof.method.path.as_bytes().to_vec(),
        organization.clone().unwrap_or_default().into_bytes(),
    ];
    parts.extend(proof.identity());
    let ctx = rest.ctx().clone();
    let rest = rest.clone();
    let proof = std::sync::Arc::new(proof);
    Session::new(&ctx, Fingerprint::of(parts), Scheme::BEARER, move || {
        let (rest, proof) = (rest.clone(), proof.clone());
        let organization = organization.clone();
        async move { login(&rest, &proof, organization).await }
    })
}

async fn login(rest: &Rest, proof: &Proof, organization: Option<String>) -> Result<AccessToken> {
    let method = &proof.method;
    let failed = |error: Error| {
        let words = method.words;
        error.map_message(|text| format!("failed to authenticate via {words} auth {text}"))
    };
    let mut body = proof.body(rest.ctx()).await.map_err(failed)?;
    if let Some(slug) = organization {
        body.insert("organizationSlug".to_owned(), json!(slug));
    }
    let path = format!("/v1/auth/{}-auth/login", method.path);
    let request = rest.post(&path).json(&Value::Object(body)).build()?;
    let called = Called::new(method.operation, &request);
    let check = |answer| called.other(answer);
    let answer = rest
        .call(method.call, request, check)
        .await
        .map_err(failed)?;
    let granted: Granted = answer.json()?;
    Ok(AccessToken::lasting(
        SecretValue::from(granted.access_token),
        granted.expires_in,
        rest.ctx().now(),
    ))
}

/// Reads a credential and says which one failed.
async fn named(ctx: &Ctx, selector: &SecretKeySelector, name: &str) -> Result<SecretValue> {
    let read = ctx.secret(selector).await;
    read.map_err(|error| {
        error.map_message(|text| format!("failed to get secret data {name} {text}"))
    })
}

fn object(fields: &[(&str, &SecretValue)]) -> Result<Map<String, Value>> {
    let mut body = Map::new();
    for (name, value) in fields {
        body.insert((*name).to_owned(), json!(value.expose_utf8()?));
    }
    Ok(body)
}
