//! Key pairs read back from their files, and specs that cannot be.

use lockstep_golang::base64::{Encoding, decode};
use serde_json::{Value, json};

use crate::random::Counting;

fn made(spec: &Value) -> Result<(String, String), String> {
    let made = crate::generate_locally("SSHKey", spec, &mut Counting::default());
    let made = made.map_err(|error| error.to_string())?;
    let text = |key| made.get(key).unwrap().expose_utf8().unwrap().to_owned();
    Ok((text("privateKey"), text("publicKey")))
}

/// Takes one value with a length in front off `bytes`.
fn take<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let (length, rest) = bytes.split_at(4);
    let length = u32::from_be_bytes(length.try_into().unwrap()) as usize;
    let (value, rest) = rest.split_at(length);
    *bytes = rest;
    value
}

/// The public key, and the fields of the private one, of a private key file.
fn opened(file: &str) -> (Vec<u8>, Vec<Vec<u8>>) {
    let body: String = file.lines().filter(|line| !line.starts_with('-')).collect();
    let bytes = decode(Encoding::Standard, body.as_bytes()).unwrap();
    let mut rest = bytes.strip_prefix(b"openssh-key-v1\0").unwrap();
    assert_eq!(take(&mut rest), b"none");
    assert_eq!(take(&mut rest), b"none");
    assert_eq!(take(&mut rest), b"");
    rest = rest.strip_prefix(&[0, 0, 0, 1]).unwrap();
    let public = take(&mut rest).to_vec();
    let mut private = take(&mut rest);
    assert!(rest.is_empty());
    assert_eq!(private.len() % 8, 0);
    assert_eq!(private[..4], private[4..8]);
    private = &private[8..];
    let mut fields = Vec::new();
    while private.first() == Some(&0) {
        fields.push(take(&mut private).to_vec());
    }
    let padding: Vec<u8> = (1..=u8::try_from(private.len()).unwrap()).collect();
    assert_eq!(private, padding);
    (public, fields)
}

#[test]
fn each_kind_of_key_has_its_fields_and_its_public_half() {
    let table = [
        (json!({ "keyType": "ed25519" }), "ssh-ed25519", 4),
        (json!({ "keyType": "ecdsa" }), "ecdsa-sha2-nistp256", 5),
        (
            json!({ "keyType": "ecdsa", "keySize": 384 }),
            "ecdsa-sha2-nistp384",
            5,
        ),
        (
            json!({ "keyType": "ecdsa", "keySize": 521 }),
            "ecdsa-sha2-nistp521",
            5,
        ),
        (
            json!({ "keyType": "ecdsa", "keySize": 999 }),
            "ecdsa-sha2-nistp256",
            5,
        ),
        (json!({ "keyType": "rsa", "keySize": 1024 }), "ssh-rsa", 8),
    ];

    for (spec, kind, count) in table {
        let (private, public) = made(&spec).unwrap();
        let (held, fields) = opened(&private);
        let words: Vec<&str> = public.split_whitespace().collect();

        assert_eq!(words[0], kind);
        assert_eq!(words.len(), 2);
        assert_eq!(
            decode(Encoding::Standard, words[1].as_bytes()).unwrap(),
            held
        );
        assert_eq!(fields.len(), count, "{kind}");
        assert_eq!(fields[0], kind.as_bytes());
        assert!(private.ends_with("-----END OPENSSH PRIVATE KEY-----\n"));
    }
}

#[test]
fn a_comment_is_in_both_files() {
    let spec = json!({ "keyType": "ed25519", "comment": "me@example" });

    let (private, public) = made(&spec).unwrap();

    let (_, fields) = opened(&private);
    assert_eq!(fields.last().unwrap(), b"me@example");
    assert!(public.ends_with(" me@example\n"));
}

#[test]
fn what_cannot_be_is_refused() {
    let table = [
        (json!({ "keyType": "dsa" }), "unsupported key type: dsa"),
        (json!({ "keySize": 512 }), "1024 to 8192"),
        (json!({ "keySize": 16_384 }), "1024 to 8192"),
        (
            json!({ "keyType": "ed25519", "comment": "a\nb" }),
            "spec.comment",
        ),
    ];

    for (spec, text) in table {
        let error = made(&spec).unwrap_err();
        assert!(error.contains(text), "{error}");
    }
}
