//! The signature of Oracle Cloud: RSA with SHA-256 over chosen headers of a request. Keys may be
//! encrypted PKCS#8; the older PEM encryption is refused by name.

use jiff::Timestamp;
use lockstep_golang::base64::{Encoding, encode};
use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::prelude::*;
use pkcs8::EncryptedPrivateKeyInfoRef;

/// An API signing key with the names it goes by.
pub struct Signer {
    key: RsaKey,
    id: String,
}

impl Signer {
    /// A key of `tenancy`, `user` and `fingerprint`.
    pub fn new(tenancy: &str, user: &str, fingerprint: &str, key: RsaKey) -> Self {
        Self::named(format!("{tenancy}/{user}/{fingerprint}"), key)
    }

    /// A key with an id of another form, such as that of a session.
    pub fn named(id: String, key: RsaKey) -> Self {
        Self { key, id }
    }

    /// The `Authorization` header over headers in the order given; `(request-target)` is a
    /// header here.
    pub fn authorization(&self, headers: &[(&str, &str)]) -> Result<String> {
        let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
        let lines: Vec<String> = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let signature = self.key.signature(lines.join("\n").as_bytes())?;
        Ok(format!(
            "Signature version=\"1\",headers=\"{}\",keyId=\"{}\",algorithm=\"rsa-sha256\",\
             signature=\"{}\"",
            names.join(" "),
            self.id,
            encode(Encoding::Standard, signature)
        ))
    }
}

/// The private key of a PEM text, decrypted where there is a passphrase.
pub fn private_key(pem: &SecretValue, passphrase: Option<&SecretValue>) -> Result<RsaKey> {
    let text = pem.expose_utf8()?;
    let Some(passphrase) = passphrase.filter(|_| text.contains("ENCRYPTED PRIVATE KEY")) else {
        if text.contains("Proc-Type: 4,ENCRYPTED") {
            return Err(Error::invalid_spec(
                "the private key has the old PEM encryption: convert it with \
                 `openssl pkcs8 -topk8`",
            ));
        }
        return RsaKey::from_pem(pem);
    };
    let refused = || Error::invalid_spec("the private key cannot be decrypted with the passphrase");
    let (_, der) = pkcs8::SecretDocument::from_pem(text).map_err(|_| refused())?;
    let encrypted = EncryptedPrivateKeyInfoRef::try_from(der.as_bytes()).map_err(|_| refused())?;
    let open = encrypted.decrypt(passphrase.without_final_newline());
    let open = open.map_err(|_| refused())?;
    let pem = open.to_pem("PRIVATE KEY", pkcs8::LineEnding::LF);
    let pem = pem.map_err(|_| refused())?;
    RsaKey::from_pem(&SecretValue::from(pem.as_str()))
}

/// A moment as the `Date` header spells it.
pub fn http_date(now: Timestamp) -> String {
    now.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}
