//! The shape of the signed request, and the key derivation of the documented example.

use super::*;

#[test]
fn the_request_carries_every_signed_header_and_no_secret() {
    let keys = Keys {
        id: "AKIDEXAMPLE".into(),
        secret: "hunter2-secret".into(),
        session: "session".into(),
    };
    let now: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();

    let request = caller_identity("eu-west-1", &keys, now).unwrap();

    let authorization = &request.headers["Authorization"];
    let scope = "Credential=AKIDEXAMPLE/20260102/eu-west-1/sts/aws4_request";
    assert!(authorization.contains(scope), "{authorization}");
    let names = "content-length;content-type;host;x-amz-date;x-amz-security-token";
    assert!(authorization.contains(&format!("SignedHeaders={names}")));
    assert!(
        request
            .headers
            .values()
            .all(|value| !value.contains("hunter2"))
    );
    assert_eq!(request.url, "https://sts.eu-west-1.amazonaws.com/");
}

/// The key derivation of AWS's documentation for Signature Version 4.
#[test]
fn the_signing_key_is_that_of_the_documented_example() {
    let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into();
    let scope = ["20150830", "us-east-1", "iam", "aws4_request"];

    let key = signature::signing_key(&secret, &scope).unwrap();

    let want = "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9";
    assert_eq!(signature::hex(&key), want);
}
