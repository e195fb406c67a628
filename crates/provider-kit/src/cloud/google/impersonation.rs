//! Acting as another service account: a token that may impersonate is exchanged for one of that
//! account (IAM Credentials, `generateAccessToken`).

use jiff::Timestamp;
use lockstep_provider_api::http::encode_component;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::AccessToken;
use serde::Deserialize;
use serde_json::json;

use super::endpoint::Endpoint;
use super::{METRIC, SCOPE, exchange};

/// Longest life that every account allows.
const LIFE: u32 = 3600;

/// Whom to act as.
#[derive(Clone, Debug)]
pub struct Target {
    /// URL of `generateAccessToken` for the account.
    url: String,
    seconds: u32,
    delegates: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Generated {
    access_token: String,
    #[serde(default)]
    expire_time: Option<Timestamp>,
}

impl Target {
    /// An account by its e-mail address.
    pub fn account(email: &str) -> Self {
        let email = encode_component(email).replace("%40", "@");
        Self::at(format!(
            "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/\
             {email}:generateAccessToken"
        ))
    }

    /// An account by the URL in a credential configuration.
    pub fn at(url: String) -> Self {
        Self {
            url,
            seconds: LIFE,
            delegates: Vec::new(),
        }
    }

    /// The same with another life of its tokens; 0 means the usual one.
    pub fn living(mut self, seconds: u32) -> Self {
        if seconds > 0 {
            self.seconds = seconds;
        }
        self
    }

    /// The same through a chain of accounts.
    pub fn through(mut self, delegates: Vec<String>) -> Self {
        self.delegates = delegates;
        self
    }

    /// The account, for messages and fingerprints.
    pub fn email(&self) -> &str {
        let name = self.url.rsplit('/').next().unwrap_or_default();
        name.split(':').next().unwrap_or_default()
    }

    /// A token of the account, with the token of somebody who may act as it.
    pub async fn token(&self, with: &SecretValue, who: &str, ctx: &Ctx) -> Result<AccessToken> {
        let made = self.generate(with, who, ctx).await;
        ctx.counted(METRIC, "GenerateAccessToken", made)
    }

    async fn generate(&self, with: &SecretValue, who: &str, ctx: &Ctx) -> Result<AccessToken> {
        let url = Endpoint::IamCredentials.url(&self.url, ctx)?;
        let mut body = json!({ "scope": [SCOPE], "lifetime": format!("{}s", self.seconds) });
        if !self.delegates.is_empty() {
            body["delegates"] = json!(self.delegates);
        }
        let request = exchange::client(ctx)?.post(url).bearer(with).json(&body);
        let answer = exchange::send("IAM Credentials", request, ctx).await?;
        let Some(refusal) = exchange::refusal(&answer) else {
            let generated: Generated = answer.json()?;
            let value = SecretValue::from(generated.access_token);
            return Ok(match generated.expire_time {
                Some(expires) => AccessToken { value, expires },
                None => AccessToken::lasting(value, exchange::UNSAID, ctx.now()),
            });
        };
        let account = self.email();
        let help = match refusal.kind {
            ErrorKind::Denied | ErrorKind::InvalidSpec => format!(
                "; check that {account} exists and grant roles/iam.workloadIdentityUser (to a \
                 ServiceAccount) or roles/iam.serviceAccountTokenCreator on it"
            ),
            _ => String::new(),
        };
        let text = format!(
            "generateAccessToken for {account}: {} {} {} (as {who}{help})",
            refusal.status, refusal.code, refusal.text
        );
        Err(refusal.error(text, &answer))
    }
}
