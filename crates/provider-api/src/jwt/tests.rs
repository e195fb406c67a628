use lockstep_golang::base64::decode;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256, UnparsedPublicKey};
use serde_json::{Value, json};

use super::*;
use crate::error::ErrorKind;

/// Made for these tests and of no use elsewhere.
const PKCS8: &str = include_str!("pkcs8.pem");
const PKCS1: &str = include_str!("pkcs1.pem");
const EC: &str = include_str!("ec.pem");

fn key(pem: &str) -> RsaKey {
    RsaKey::from_pem(&pem.into()).unwrap()
}

#[test]
fn a_token_carries_header_and_claims_under_a_signature_of_the_key() {
    for pem in [PKCS8, PKCS1] {
        let key = key(pem);

        let token = key.sign(&json!({"alg": "RS256"}), &json!({"iss": "me"}));

        let token = token.unwrap();
        let token = token.expose_utf8().unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        let read = |part: &str| -> Value {
            serde_json::from_slice(&decode(Encoding::RawUrl, part.as_bytes()).unwrap()).unwrap()
        };
        assert_eq!(read(header), json!({"alg": "RS256"}));
        assert_eq!(read(claims), json!({"iss": "me"}));
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.0.public().as_ref());
        let signature = decode(Encoding::RawUrl, signature.as_bytes()).unwrap();
        public.verify(signed.as_bytes(), &signature).unwrap();
    }
}

#[test]
fn a_salted_token_carries_a_signature_with_a_salt_of_the_hash_s_length() {
    let key = key(PKCS8);

    let token = key.sign_pss(&json!({"alg": "PS256"}), &json!({"iss": "me"}));

    let token = token.unwrap();
    let (signed, signature) = token.expose_utf8().unwrap().rsplit_once('.').unwrap();
    let public = UnparsedPublicKey::new(&RSA_PSS_2048_8192_SHA256, key.0.public().as_ref());
    let signature = decode(Encoding::RawUrl, signature.as_bytes()).unwrap();
    public.verify(signed.as_bytes(), &signature).unwrap();
}

#[test]
fn the_key_is_found_behind_other_blocks() {
    let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

    assert!(RsaKey::from_pem(&format!("{certificate}{PKCS8}").into()).is_ok());
}

#[test]
fn what_is_no_rsa_key_is_refused_without_showing_it() {
    for text in ["", "hunter2", EC] {
        let error = RsaKey::from_pem(&text.into()).unwrap_err();

        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
    assert_eq!(format!("{:?}", key(PKCS8)), "RsaKey(***)");
}
