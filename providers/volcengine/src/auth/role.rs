//! Temporary keys of a role: the token of the operator's pod is exchanged for them at STS, as the
//! environment says that IRSA sets. They are shared by all stores, because the role is the operator's.

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_provider_api::http::{Answer, Tls};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint, TokenCache};
use lockstep_provider_kit::error::{described, not_absence};
use serde::Deserialize;

use super::signing::Keys;
use crate::api::PROVIDER;

const STS: &str = "sts.volcengineapi.com";
const SESSION: &str = "volcengine-go-sdk-oidc-session";
/// An hour and a minute, as the vendor's client asks for.
const SECONDS: &str = "3660";
const FILE_VARIABLE: &str = "VOLCENGINE_OIDC_TOKEN_FILE";
const ROLE_VARIABLE: &str = "VOLCENGINE_OIDC_ROLE_TRN";

/// The role of the operator's pod.
pub(super) struct Role {
    ctx: Ctx,
    cache: Arc<TokenCache>,
}

/// What the environment says about the role.
struct Described {
    file: String,
    role: String,
    session: String,
    policy: String,
    endpoint: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Assumed {
    result: Option<Outcome>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Outcome {
    credentials: Credentials,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Credentials {
    access_key_id: String,
    secret_access_key: String,
    #[serde(default)]
    session_token: String,
    expiration: String,
}

impl Role {
    pub(super) fn new(ctx: &Ctx) -> Self {
        Self {
            ctx: ctx.clone(),
            cache: ctx.shared(),
        }
    }

    /// The role's keys, from the cache or by asking STS.
    pub(super) async fn held(&self) -> Result<SecretValue> {
        let described = self.described()?;
        let time = self.ctx.time();
        let fetch = || async {
            let assumed = assume(&self.ctx, &described).await;
            assumed.map_err(not_absence)
        };
        self.cache.get(described.fingerprint(), &*time, fetch).await
    }

    /// Drops keys that the backend refused.
    pub(super) fn forget(&self, refused: &SecretValue) {
        if let Ok(described) = self.described() {
            self.cache.forget(described.fingerprint(), refused);
        }
    }

    fn described(&self) -> Result<Described> {
        let missing = || {
            Error::invalid_spec(format!(
                "missing required environment variables: {FILE_VARIABLE} or {ROLE_VARIABLE}"
            ))
        };
        self.ctx.ambient().ok_or_else(missing)?;
        let variable = |name: &str| self.ctx.variable(name);
        let or = |name: &str, default: &str| variable(name).unwrap_or_else(|| default.to_owned());
        Ok(Described {
            file: variable(FILE_VARIABLE).ok_or_else(missing)?,
            role: variable(ROLE_VARIABLE).ok_or_else(missing)?,
            session: or("VOLCENGINE_OIDC_ROLE_SESSION_NAME", SESSION),
            policy: or("VOLCENGINE_OIDC_ROLE_POLICY", ""),
            endpoint: or("VOLCENGINE_OIDC_STS_ENDPOINT", STS),
        })
    }
}

impl Described {
    fn fingerprint(&self) -> Fingerprint {
        let parts = [
            &self.file,
            &self.role,
            &self.session,
            &self.policy,
            &self.endpoint,
        ];
        let parts = parts.into_iter().map(String::as_str);
        Fingerprint::of(["volcengine role"].into_iter().chain(parts))
    }
}

async fn assume(ctx: &Ctx, described: &Described) -> Result<AccessToken> {
    let answer = ask(ctx, described).await;
    let answer = ctx.counted(PROVIDER, "AssumeRoleWithOIDC", answer)?;
    let assumed: Assumed = answer.json()?;
    let refused = || Error::invalid_data("failed to decode STS response");
    let held = assumed.result.ok_or_else(refused)?.credentials;
    let expires: Timestamp = held.expiration.parse().map_err(|_| refused())?;
    let value = Keys::packed(
        held.access_key_id,
        held.secret_access_key,
        held.session_token,
    )?;
    Ok(AccessToken { value, expires })
}

async fn ask(ctx: &Ctx, described: &Described) -> Result<Answer> {
    let ambient = ctx.ambient();
    let ambient = ambient.ok_or_else(|| Error::invalid_spec("the operator's identity is off"))?;
    let token = ambient.read(&described.file);
    let token = token.map_err(|error| error.context("failed to read OIDC token file"))?;
    let mut form = vec![
        ("DurationSeconds", SECONDS),
        ("OIDCToken", token.expose_utf8()?.trim()),
    ];
    if !described.policy.is_empty() {
        form.push(("Policy", &described.policy));
    }
    form.push(("RoleSessionName", &described.session));
    form.push(("RoleTrn", &described.role));
    let url = format!("https://{}/", described.endpoint);
    let request = ctx.http(&Tls::default())?.post(url);
    let request = request.query("Action", "AssumeRoleWithOIDC");
    let request = request.query("Version", "2018-01-01").form(&form);
    described_status(request.send().await?)
}

fn described_status(answer: Answer) -> Result<Answer> {
    described(answer, |answer| {
        let status = answer.status().as_u16();
        let text = format!("STS service returned non-OK status: {status}");
        match answer.detail("/ResponseMetadata/Error/Message") {
            Some(message) => format!("{text}: {message}"),
            None => text,
        }
    })
}
