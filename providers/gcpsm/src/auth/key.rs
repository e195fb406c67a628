//! A service account key: JSON with a private key, which signs an assertion that the account's
//! token endpoint takes. No part of the private key gets into a text.

use jiff::SignedDuration;
use lockstep_provider_api::json;
use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::{AccessToken, Fingerprint};
use serde::Deserialize;
use serde_json::json;

use super::{SCOPE, exchange};

#[cfg(test)]
mod tests;

const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";
const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const LIFE: SignedDuration = SignedDuration::from_hours(1);

/// A key that was read.
#[derive(Debug)]
pub(super) struct ServiceAccountKey {
    email: String,
    key_id: String,
    token_url: String,
    key: RsaKey,
    fingerprint: Fingerprint,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    #[serde(rename = "type")]
    kind: String,
    client_email: String,
    private_key_id: String,
    private_key: String,
    token_uri: String,
}

impl ServiceAccountKey {
    /// Reads a key file.
    pub(super) fn parse(text: &SecretValue) -> Result<Self> {
        // Go's reader has the texts that users know; they show no byte of the key.
        json::decode(text).map_err(|error| Error::invalid_spec(error.to_string()))?;
        let file: File = serde_json::from_slice(text.expose())
            .map_err(|_| Error::invalid_spec("the key is not a JSON object with string members"))?;
        if file.kind != "service_account" {
            return Err(Error::invalid_spec(format!(
                "google: read JWT from JSON credentials: 'type' field is {:?} \
                 (expected \"service_account\")",
                file.kind
            )));
        }
        if file.client_email.is_empty() {
            return Err(Error::invalid_spec(
                "the key has no client_email; create a new key",
            ));
        }
        let key = RsaKey::from_pem(&SecretValue::from(file.private_key))
            .map_err(|error| error.context("private_key"))?;
        let token_url = if file.token_uri.is_empty() {
            TOKEN_URL.to_owned()
        } else {
            file.token_uri
        };
        Ok(Self {
            email: file.client_email,
            key_id: file.private_key_id,
            token_url,
            key,
            fingerprint: Fingerprint::of([b"gcp key".as_slice(), text.expose()]),
        })
    }

    pub(super) fn email(&self) -> &str {
        &self.email
    }

    pub(super) fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// A token of the account.
    pub(super) async fn token(&self, who: &str, ctx: &Ctx) -> Result<AccessToken> {
        let assertion = self.assertion(ctx)?;
        let fields = [
            ("grant_type", GRANT),
            ("assertion", assertion.expose_utf8()?),
        ];
        let request = exchange::client(ctx)?.post(&*self.token_url).form(&fields);
        let answer = exchange::send("the token endpoint", request, ctx).await?;
        let Some(refusal) = exchange::refusal(&answer) else {
            return exchange::granted(&answer, "the token endpoint", ctx);
        };
        let help = match refusal.kind {
            ErrorKind::Unauthenticated => {
                "; the key was deleted or disabled, or its account was: create a new key"
            }
            _ => "",
        };
        let said = if refusal.code.is_empty() {
            format!("oauth2: cannot fetch token: {}", refusal.status)
        } else {
            format!("oauth2: {:?} {:?}", refusal.code, refusal.text)
        };
        Err(refusal.error(format!("{said} (as {who}{help})"), &answer))
    }

    fn assertion(&self, ctx: &Ctx) -> Result<SecretValue> {
        let now = ctx.now();
        let end = now.checked_add(LIFE).unwrap_or(now);
        let header = json!({ "alg": "RS256", "typ": "JWT", "kid": self.key_id });
        let claims = json!({
            "iss": self.email,
            "scope": SCOPE,
            "aud": self.token_url,
            "iat": now.as_second(),
            "exp": end.as_second(),
        });
        self.key.sign(&header, &claims)
    }
}
