//! What the key must be, without a wire. Signing in over one is tried with the providers.

use super::*;

fn refused(json: &str) -> String {
    let key = AuthorizedKey::parse(&json.into()).and_then(AuthorizedKey::into_signer);
    let error = key.err().unwrap();
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
    error.to_string()
}

#[test]
fn a_key_is_refused_by_what_it_lacks_and_never_shown() {
    assert_eq!(refused("{}"), "key validation failed: key id is missing");
    assert!(refused(r#"{"id":"k"}"#).ends_with("key should de issued for service account"));
    assert!(
        refused(r#"{"id":"k","serviceAccountId":"s","privateKey":"hunter2"}"#)
            .starts_with("private key parsing failed: ")
    );
    let broken = refused(r#"{"id":"k","private_key":hunter2}"#);
    assert!(broken.starts_with("unable to unmarshal authorized key: "));
    assert!(!broken.contains("hunter2"));
}
