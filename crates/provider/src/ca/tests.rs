//! Bundles in every wrapping. What needs a context is tested with the conformance services.

use serde_json::json;

use super::*;

/// A frame of a certificate: sequence of two empty sequences and an empty bit string.
const FRAME: [u8; 8] = [0x30, 0x06, 0x30, 0x00, 0x30, 0x00, 0x03, 0x00];

fn pem_of(label: &str, der: &[u8]) -> String {
    let body = lockstep_golang::base64::encode(Encoding::Standard, der);
    format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
}

fn bundle(text: impl AsRef<[u8]>) -> CaBundle {
    CaBundle::new(text.as_ref().to_vec())
}

#[test]
fn pem_and_base64_of_pem_give_the_same_text() {
    let pem = pem_of("CERTIFICATE", &FRAME);
    let wrapped = lockstep_golang::base64::encode(Encoding::Standard, &pem);

    assert_eq!(bundle(&pem).pem().unwrap(), pem.as_bytes());
    assert_eq!(bundle(wrapped).pem().unwrap(), pem.as_bytes());
}

#[test]
fn what_is_no_pem_is_refused() {
    let error = bundle("no certificate").pem().unwrap_err();

    assert_eq!(
        error.to_string(),
        "failed to decode ca bundle: failed to parse the new certificate, not valid pem data"
    );
}

#[test]
fn pem_of_something_else_is_refused() {
    for der in [&FRAME[..7], &[0x30, 0x00], &[], b"key"] {
        let error = bundle(pem_of("CERTIFICATE", der)).pem().unwrap_err();

        assert_eq!(
            error.to_string(),
            "failed to decode ca bundle: failed to validate certificate: \
             x509: malformed certificate"
        );
    }
}

#[test]
fn a_manifest_gives_the_bundle_as_base64() {
    let read: CaBundle = serde_json::from_value(json!("Y2E=")).unwrap();

    assert_eq!(read, bundle("ca"));
    assert!(serde_json::from_value::<CaBundle>(json!("not base64!")).is_err());
}

#[test]
fn long_lengths_that_overflow_are_refused() {
    let mut der = vec![0x30, 0x89];
    der.extend([0xff; 9]);

    assert!(!looks_like_certificate(&der));
}
