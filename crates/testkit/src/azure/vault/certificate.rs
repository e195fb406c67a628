//! The certificate inside of an imported value: PEM, or PKCS#12 without a password, which `openssl`
//! opens.

use std::io::Write as _;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

/// A certificate and its life.
pub(super) struct Imported {
    /// The certificate as base64 of DER.
    pub(super) cer: String,
    /// Seconds since 1970.
    pub(super) from: i64,
    pub(super) until: i64,
}

/// The certificate of an import.
pub(super) fn of(value: &str) -> Option<Imported> {
    let bytes = STANDARD
        .decode(value.trim())
        .unwrap_or_else(|_| value.as_bytes().to_vec());
    let der = match CertificateDer::from_pem_slice(&bytes) {
        Ok(der) => der.to_vec(),
        Err(_) => opened(&bytes)?,
    };
    let (_, parsed) = x509_parser::parse_x509_certificate(&der).ok()?;
    let life = parsed.validity();
    Some(Imported {
        cer: STANDARD.encode(&der),
        from: life.not_before.timestamp(),
        until: life.not_after.timestamp(),
    })
}

fn opened(file: &[u8]) -> Option<Vec<u8>> {
    let mut child = Command::new("openssl")
        .args([
            "pkcs12", "-nokeys", "-clcerts", "-passin", "pass:", "-legacy",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(file).ok()?;
    let output = child.wait_with_output().ok()?;
    let der = CertificateDer::from_pem_slice(&output.stdout).ok()?;
    Some(der.to_vec())
}
