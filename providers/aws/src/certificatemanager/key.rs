//! Private keys as the service hands them out: PKCS#8, encrypted with the passphrase of the export.

use lockstep_provider_api::prelude::*;
use pkcs8::der::pem::PemLabel;
use pkcs8::{EncryptedPrivateKeyInfoRef, LineEnding, PrivateKeyInfoRef, SecretDocument};

/// The key in PEM, without encryption.
pub(super) fn decrypt(pem: &str, passphrase: &str) -> Result<SecretValue> {
    let broken = || Error::invalid_data("the exported private key cannot be decrypted");
    if pem.contains("-----BEGIN PRIVATE KEY-----") {
        return Ok(SecretValue::from(pem));
    }
    let (label, document) = SecretDocument::from_pem(pem).map_err(|_| broken())?;
    if label != EncryptedPrivateKeyInfoRef::PEM_LABEL {
        let text = format!("the exported private key is a {label:?}");
        return Err(Error::invalid_data(text));
    }
    let info = EncryptedPrivateKeyInfoRef::try_from(document.as_bytes());
    let key = info.and_then(|info| info.decrypt(passphrase));
    let key = key.map_err(|_| broken())?;
    let text = key
        .to_pem(PrivateKeyInfoRef::PEM_LABEL, LineEnding::LF)
        .map_err(|_| broken())?;
    Ok(SecretValue::from(text.as_str()))
}
