//! Tokens that somebody signed (RS256 or PS256): read only if one of the known keys made the signature.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256, RsaKeyPair, RsaParameters,
    RsaPublicKeyComponents,
};
use serde_json::Value;

/// Public keys: modulus and exponent.
#[derive(Clone, Debug, Default)]
pub struct Keys(Vec<(Vec<u8>, Vec<u8>)>);

impl Keys {
    /// The RSA keys of a JSON web key set.
    pub fn of_set(set: &Value) -> Self {
        let keys = set["keys"].as_array().into_iter().flatten();
        let part = |key: &Value, name: &str| {
            let text = key[name].as_str().unwrap_or_default();
            URL_SAFE_NO_PAD.decode(text).unwrap_or_default()
        };
        let rsa = keys.filter(|key| key["kty"] == "RSA");
        Self(rsa.map(|key| (part(key, "n"), part(key, "e"))).collect())
    }

    /// The key that [`super::Google::key`] hands out, for tokens that a test signs with it.
    pub fn of_test_account() -> Self {
        Self::of_private(super::KNOWN)
    }

    /// The public half of a private key.
    pub(super) fn of_private(pem: &str) -> Self {
        let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
        let der = base64::engine::general_purpose::STANDARD.decode(body);
        let Ok(pair) = RsaKeyPair::from_pkcs8(&der.unwrap_or_default()) else {
            return Self::default();
        };
        let public = RsaPublicKeyComponents::<Vec<u8>>::from(pair.public());
        Self(vec![(public.n, public.e)])
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The claims of a token that one of the keys signed.
    pub(super) fn claims(&self, token: &str) -> Option<Value> {
        self.rs256(token).map(|(_, claims)| claims)
    }

    /// Header and claims of a token that one of the keys signed.
    pub fn rs256(&self, token: &str) -> Option<(Value, Value)> {
        self.parts(&RSA_PKCS1_2048_8192_SHA256, token)
    }

    /// The same for a signature with a salt as long as the hash.
    pub fn ps256(&self, token: &str) -> Option<(Value, Value)> {
        self.parts(&RSA_PSS_2048_8192_SHA256, token)
    }

    fn parts(&self, how: &RsaParameters, token: &str) -> Option<(Value, Value)> {
        let (signed, signature) = token.rsplit_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        let valid = self.0.iter().any(|(n, e)| {
            let key = RsaPublicKeyComponents { n, e };
            key.verify(how, signed.as_bytes(), &signature).is_ok()
        });
        let header = part(token, 0);
        valid.then(|| header.zip(unverified(token))).flatten()
    }
}

/// The claims of a token, whoever signed it.
pub(super) fn unverified(token: &str) -> Option<Value> {
    part(token, 1)
}

fn part(token: &str, index: usize) -> Option<Value> {
    let part = URL_SAFE_NO_PAD.decode(token.split('.').nth(index)?).ok()?;
    serde_json::from_slice(&part).ok()
}
