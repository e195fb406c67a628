use super::*;

fn refused(text: &str) -> String {
    let error = ServiceAccountKey::parse(&text.into()).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec, "{error}");
    error.to_string()
}

#[test]
fn what_is_no_key_is_refused_with_upstreams_texts_and_without_a_byte_of_it() {
    let other = r#"{"type": "authorized_user", "client_id": "a"}"#;

    assert!(refused("no json").starts_with("invalid character"));
    assert_eq!(
        refused(other),
        "google: read JWT from JSON credentials: 'type' field is \"authorized_user\" \
         (expected \"service_account\")"
    );
}

#[test]
fn a_key_without_an_account_or_a_private_key_says_what_is_missing() {
    let bare = r#"{"type": "service_account"}"#;
    let garbled = r#"{"type": "service_account", "client_email": "a@b", "private_key": "hunter2"}"#;

    assert!(refused(bare).contains("client_email"));
    let text = refused(garbled);
    assert!(text.starts_with("private_key: there is no private key"));
    assert!(!text.contains("hunter2"));
}
