//! The body that imports a certificate: PKCS#12 without a password, DER or PEM.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lockstep_provider_api::prelude::*;
use lockstep_template::keys::{check_certificate, open_pkcs12, pem_blocks};
use serde_json::{Value, json};

use super::Wanted;
use crate::read::Bundle;

/// The body to write; `None` where the vault has the certificate already.
pub(super) fn prepare(
    value: &SecretValue,
    wanted: &Wanted,
    there: Option<&Bundle>,
) -> Result<Option<Value>> {
    let der = certificate_of(value.expose()).ok_or_else(|| {
        Error::invalid_data(
            "value from secret is not a valid certificate: \
             could not parse certificate value as PKCS#12, DER or PEM",
        )
    })?;
    if let Some(there) = there
        && there.certificate()? == der
    {
        return Ok(None);
    }
    Ok(Some(json!({
        "value": STANDARD.encode(value.expose()),
        "tags": wanted.tags,
        "attributes": {},
    })))
}

/// The certificate in DER.
fn certificate_of(value: &[u8]) -> Option<Vec<u8>> {
    if let Ok(store) = open_pkcs12(value, b"") {
        return store.certificates.into_iter().next();
    }
    if check_certificate(value).is_ok() {
        return Some(value.to_vec());
    }
    let blocks = pem_blocks(value).into_iter();
    let mut certificates = blocks.filter(|block| block.kind == "CERTIFICATE");
    let first = certificates.next()?.der;
    check_certificate(&first).is_ok().then_some(first)
}
