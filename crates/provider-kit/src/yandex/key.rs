//! The authorized key of a service account, as Yandex Cloud hands it out: JSON with the private key,
//! in the spelling of its REST or its gRPC API. It signs the token that is exchanged for access.

use jiff::Timestamp;
use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::Fingerprint;
use serde::Deserialize;
use serde_json::json;

use crate::golang_jwt;

/// Whom the signed token is for, wherever it is sent.
const AUDIENCE: &str = "https://iam.api.cloud.yandex.net/iam/v1/tokens";
/// Seconds that the signed token lives.
const LIFE: i64 = 3600;

/// A key as a Secret holds it.
#[derive(Default, Deserialize)]
pub(super) struct AuthorizedKey {
    #[serde(default)]
    id: String,
    #[serde(default, alias = "serviceAccountId")]
    service_account_id: String,
    #[serde(default, alias = "userAccountId")]
    user_account_id: String,
    #[serde(default, alias = "privateKey")]
    private_key: String,
}

impl AuthorizedKey {
    /// Reads the JSON; an error names the position, never the content.
    pub(super) fn parse(json: &SecretValue) -> Result<Self> {
        serde_json::from_slice(json.expose()).map_err(|error| {
            Error::invalid_spec(format!(
                "unable to unmarshal authorized key: not the JSON expected at line {} column {}",
                error.line(),
                error.column()
            ))
        })
    }

    /// Why it is not the key of a service account, in the words of the vendor's SDK.
    fn fault(&self) -> Option<String> {
        if self.id.is_empty() {
            return Some("key id is missing".to_owned());
        }
        if !self.service_account_id.is_empty() {
            return None;
        }
        let subject = match self.user_account_id.as_str() {
            "" => "<nil>".to_owned(),
            user => format!("&iamkey.Key_UserAccountId{{UserAccountId:{user:?}}}"),
        };
        // The misspelling is the vendor's.
        Some(format!(
            "key should de issued for service account, but subject is {subject}"
        ))
    }

    /// The key, ready to sign.
    pub(super) fn into_signer(self) -> Result<Signer> {
        if let Some(why) = self.fault() {
            return Err(Error::invalid_spec(format!("key validation failed: {why}")));
        }
        let pem = SecretValue::from(self.private_key);
        let key = golang_jwt::rsa_key(&pem);
        let key = key.map_err(|error| error.context("private key parsing failed"))?;
        Ok(Signer {
            fingerprint: Fingerprint::of([
                self.id.as_bytes(),
                self.service_account_id.as_bytes(),
                pem.expose(),
            ]),
            id: self.id,
            account: self.service_account_id,
            key,
        })
    }
}

/// A key that signs.
pub(super) struct Signer {
    id: String,
    account: String,
    key: RsaKey,
    fingerprint: Fingerprint,
}

impl Signer {
    /// What tells this key from others.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// A token that proves who holds the key.
    pub(super) fn token(&self, now: Timestamp) -> Result<SecretValue> {
        let issued = now.as_second();
        let header = json!({ "alg": "PS256", "kid": self.id, "typ": "JWT" });
        let claims = json!({
            "iss": self.account,
            "aud": [AUDIENCE],
            "exp": issued + LIFE,
            "iat": issued,
        });
        self.key.sign_pss(&header, &claims)
    }
}
