//! Signing in to Keystone: the version where the address has none, the token, and the address of the key
//! manager in the catalog that comes with it. A session is token and address together, because both come
//! from one answer.

use jiff::Timestamp;
use lockstep_provider_api::http::Method;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::AccessToken;
use lockstep_provider_kit::error::not_absence;
use lockstep_provider_kit::{Address, Rest};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::catalog::{self, Catalog};
use crate::error::Asked;
use crate::versions::{self, Version};

/// Life of a token that does not say when it ends.
const LIFE: u64 = 10 * 60;

/// Who signs in, and where.
#[derive(Clone)]
pub(crate) struct Login {
    pub(crate) rest: Rest,
    pub(crate) user: SecretValue,
    pub(crate) password: SecretValue,
    pub(crate) domain: String,
    pub(crate) project: String,
    pub(crate) region: String,
}

#[derive(Deserialize)]
struct Answered {
    token: Token,
}

#[derive(Deserialize)]
struct Token {
    #[serde(default)]
    expires_at: Option<String>,
    #[serde(default)]
    catalog: Catalog,
}

impl Login {
    /// Signs in and finds the key manager: its address, a line break, and the token.
    pub(crate) async fn session(&self) -> Result<AccessToken> {
        let signed_in = self.sign_in().await.map_err(not_absence);
        let failed = |error: Error| error.context("barbican provider authentication failed");
        let (token, seconds, catalog) = signed_in.map_err(failed)?;
        let found = self
            .key_manager(&token, &catalog)
            .await
            .map_err(not_absence);
        let failed = |error: Error| error.context("barbican provider client initialization failed");
        let base = found.map_err(failed)?;
        let both = [base.as_str().as_bytes(), b"\n", token.expose()].concat();
        let now = self.rest.ctx().now();
        Ok(AccessToken::lasting(SecretValue::new(both), seconds, now))
    }

    async fn sign_in(&self) -> Result<(SecretValue, u64, Catalog)> {
        match versions::identity(&self.rest).await? {
            (Version::V3, base) => self.sign_in_v3(base).await,
            (Version::V2, base) => self.sign_in_v2(base).await,
        }
    }

    async fn sign_in_v3(&self, base: Address) -> Result<(SecretValue, u64, Catalog)> {
        let body = self.body_v3()?;
        let url = base.join("/auth/tokens");
        let rest = self.rest.clone().at(base);
        let asked = Asked {
            method: Method::POST,
            url: &url,
            expected: &[201, 202],
        };
        let request = rest.post("/auth/tokens").accept_json().json(&body);
        let answer = rest
            .send("CreateToken", request, |answer| asked.check(answer))
            .await?;
        let token = answer.header("x-subject-token").unwrap_or_default();
        if token.is_empty() {
            return Err(Error::invalid_data("Keystone gave no token"));
        }
        let token = SecretValue::from(token);
        let answered: Answered = answer.json()?;
        let seconds = self.seconds(answered.token.expires_at.as_deref());
        Ok((token, seconds, answered.token.catalog))
    }

    /// What is missing, in the order in which the SDK finds it.
    fn missing_v3(&self) -> Option<&'static str> {
        if self.domain.is_empty() && !self.project.is_empty() {
            return Some(
                "You must provide exactly one of DomainID or DomainName in a Scope with ProjectName",
            );
        }
        if self.password.is_empty() {
            return Some("You must provide a password to authenticate");
        }
        if self.user.is_empty() {
            return Some(
                "Exactly one of Username and UserID must be provided for password authentication",
            );
        }
        let without_domain =
            "You must provide exactly one of DomainID or DomainName to authenticate by Username";
        self.domain.is_empty().then_some(without_domain)
    }

    fn body_v3(&self) -> Result<Value> {
        if let Some(text) = self.missing_v3() {
            return Err(Error::invalid_spec(text));
        }
        let domain = json!({ "name": self.domain });
        let user = json!({
            "name": text(&self.user)?,
            "password": text(&self.password)?,
            "domain": domain,
        });
        let mut auth = json!({"identity": {"methods": ["password"], "password": {"user": user}}});
        if !self.project.is_empty() {
            auth["scope"] = json!({"project": {"name": self.project, "domain": domain}});
        }
        Ok(json!({ "auth": auth }))
    }

    async fn sign_in_v2(&self, base: Address) -> Result<(SecretValue, u64, Catalog)> {
        for (what, value) in [("Username", &self.user), ("Password", &self.password)] {
            if value.is_empty() {
                let text = format!("Missing input for argument [{what}]");
                return Err(Error::invalid_spec(text));
            }
        }
        let credentials = json!({
            "username": text(&self.user)?,
            "password": text(&self.password)?,
        });
        let mut auth = json!({ "passwordCredentials": credentials });
        if !self.project.is_empty() {
            auth["tenantName"] = json!(self.project);
        }
        let url = base.join("/tokens");
        let rest = self.rest.clone().at(base);
        let asked = Asked {
            method: Method::POST,
            url: &url,
            expected: &[200, 203],
        };
        let body = json!({ "auth": auth });
        let request = rest.post("/tokens").accept_json().json(&body);
        let answer = rest
            .send("CreateToken", request, |answer| asked.check(answer))
            .await?;
        let (token, expires, catalog) = catalog::version_2(answer.json()?);
        Ok((token, self.seconds(expires.as_deref()), catalog))
    }

    async fn key_manager(&self, token: &SecretValue, catalog: &Catalog) -> Result<Address> {
        for endpoint in catalog.key_managers(&self.region) {
            let endpoint = Address::new("the address of the key manager", endpoint)?;
            if let Some(base) = versions::key_manager(&self.rest, token, endpoint).await? {
                return Ok(base);
            }
        }
        Err(Error::invalid_spec(
            "No suitable endpoint could be found in the service catalog.",
        ))
    }

    /// How long a token is believed.
    fn seconds(&self, end: Option<&str>) -> u64 {
        let end = end.and_then(|end| end.parse::<Timestamp>().ok());
        let now = self.rest.ctx().now().as_second();
        let left = end.map(|end| end.as_second().saturating_sub(now));
        left.map_or(LIFE, |left| u64::try_from(left).unwrap_or_default())
    }
}

/// Address of the key manager and token of a session.
pub(crate) fn parts(session: &SecretValue) -> Result<(Address, SecretValue)> {
    let text = session.expose_utf8()?;
    let (base, token) = text.split_once('\n').unwrap_or_default();
    let base = Address::new("the address of the key manager", base)?;
    Ok((base, SecretValue::from(token)))
}

/// A credential without the line break that files end in.
fn text(value: &SecretValue) -> Result<&str> {
    Ok(value.expose_utf8()?.trim_end_matches(['\r', '\n']))
}
