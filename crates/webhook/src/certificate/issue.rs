//! Makes authorities and certificates: ten years each, with an hour of tolerance for clocks that
//! differ. The authority's parameters are fixed, so that it can sign again from its key alone.

use std::time::Duration;

use jiff::Timestamp;
use lockstep_provider_api::SecretValue;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

use super::Bundle;

const NAME: &str = "external-secrets";
const TOLERANCE: Duration = Duration::from_hours(1);
const LIFE: Duration = Duration::from_hours(24 * 365 * 10);

/// A new authority and a certificate. What was trusted before stays trusted beside it, so that
/// replicas which still serve the old certificate are understood.
pub(super) fn issue(before: Option<&str>, name: &str, now: Timestamp) -> Result<Bundle, String> {
    make(before, name, now).map_err(|error| format!("cannot make a certificate: {error}"))
}

fn make(before: Option<&str>, name: &str, now: Timestamp) -> Result<Bundle, rcgen::Error> {
    let key = KeyPair::generate()?;
    let mut authority = authority(now).self_signed(&key)?.pem();
    if let Some(before) = before.and_then(first_pem) {
        authority.push_str(before);
    }
    let authority_key = SecretValue::new(key.serialize_pem().into_bytes());
    let (certificate, leaf) = signed(key, name, now)?;
    Ok(Bundle {
        authority,
        authority_key,
        certificate,
        key: leaf,
    })
}

/// A certificate of the authority that is there.
pub(super) fn again(old: &Bundle, name: &str, now: Timestamp) -> Result<Bundle, String> {
    let text = old.authority_key.expose_utf8();
    let text = text.map_err(|_| "the authority's key is not text".to_owned())?;
    // The parser's own message could quote key material.
    let key = KeyPair::from_pem(text).map_err(|_| "the authority's key cannot sign".to_owned())?;
    let (certificate, leaf) =
        signed(key, name, now).map_err(|error| format!("cannot make a certificate: {error}"))?;
    Ok(Bundle {
        authority: old.authority.clone(),
        authority_key: old.authority_key.clone(),
        certificate,
        key: leaf,
    })
}

fn signed(
    authority_key: KeyPair,
    name: &str,
    now: Timestamp,
) -> Result<(String, SecretValue), rcgen::Error> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new([name.to_owned()])?;
    dated(&mut params, now);
    params.distinguished_name.push(DnType::CommonName, name);
    params.use_authority_key_identifier_extension = true;
    params.key_usages = vec![
        KeyUsagePurpose::DigitalSignature,
        KeyUsagePurpose::KeyEncipherment,
    ];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let issuer = Issuer::new(authority(now), authority_key);
    let certificate = params.signed_by(&key, &issuer)?.pem();
    Ok((
        certificate,
        SecretValue::new(key.serialize_pem().into_bytes()),
    ))
}

fn authority(now: Timestamp) -> CertificateParams {
    let mut params = CertificateParams::default();
    dated(&mut params, now);
    params.distinguished_name.push(DnType::CommonName, NAME);
    params
        .distinguished_name
        .push(DnType::OrganizationName, NAME);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![
        KeyUsagePurpose::DigitalSignature,
        KeyUsagePurpose::KeyEncipherment,
        KeyUsagePurpose::KeyCertSign,
    ];
    params
}

fn dated(params: &mut CertificateParams, now: Timestamp) {
    let now = u64::try_from(now.as_second()).unwrap_or_default();
    let now = rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(now);
    params.not_before = now - TOLERANCE;
    params.not_after = now + LIFE;
}

/// The first certificate of a PEM text.
fn first_pem(text: &str) -> Option<&str> {
    const END: &str = "-----END CERTIFICATE-----";
    let end = text.find(END)? + END.len();
    let rest = &text[end..];
    let line = rest.find('\n').map_or(rest.len(), |at| at + 1);
    text.get(..end + line)
}
