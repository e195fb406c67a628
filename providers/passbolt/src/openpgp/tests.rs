use super::*;

const KEY: &str = include_str!("../../tests/user.asc");
/// Made by GnuPG for the key above.
const MESSAGE: &str = "-----BEGIN PGP MESSAGE-----

hF4DLr2oXhIxvgESAQdA8wDhEA1MCHGxxgNakHLKa5KWlIV01UDXvZGC9qV29lQw
R9EdDUCeSUZFRXBDqjHAt91y4jG+mRFcMnMWIfW9ru2kjeYNBemezzx9OwNHcSUs
0kQBBbzut8tuv2DbZ6IQDHGozV5TngY48UoK2/CtBhfAorWgaUW8oydWyxiuy76R
M/oJRu7DfmC0WcrqtG6ga81W6Hkcjw==
=1OjD
-----END PGP MESSAGE-----
";

fn key() -> PrivateKey {
    PrivateKey::unlock(&KEY.into(), &"case-pass".into()).unwrap()
}

#[test]
fn a_message_of_gnupg_is_opened() {
    let opened = key().open(MESSAGE).unwrap();

    assert_eq!(opened.plain, "s3cret-v4".into());
    assert_eq!(
        key().fingerprint(),
        "437155e221219a98953a66d7d8a91b90ad940180"
    );
}

#[test]
fn a_session_key_opens_its_message_after_a_round_trip() {
    let text = key().open(MESSAGE).unwrap().session_key.to_text().unwrap();

    let again = SessionKey::parse(&text).unwrap();

    assert!(text.starts_with("9:") && text.len() == 66, "{}", text.len());
    assert_eq!(again.open(MESSAGE).unwrap(), "s3cret-v4".into());
    let other = SessionKey::parse(&format!("9:{}", "00".repeat(32))).unwrap();
    assert!(other.open(MESSAGE).is_err());
}

#[test]
fn what_is_sealed_for_the_user_is_opened_by_it() {
    let sealed = key().seal(&"a secret".into()).unwrap();

    assert!(sealed.starts_with("-----BEGIN PGP MESSAGE-----"));
    assert_eq!(key().open(&sealed).unwrap().plain, "a secret".into());
}

#[test]
fn a_passphrase_may_end_in_a_line_break() {
    assert!(PrivateKey::unlock(&KEY.into(), &"case-pass\n".into()).is_ok());
}

#[test]
fn a_wrong_passphrase_and_a_wrong_key_are_told_apart() {
    let refusal = |key: &str, passphrase: &str| {
        let unlocked = PrivateKey::unlock(&key.into(), &passphrase.into());
        unlocked.err().unwrap()
    };

    let passphrase = refusal(KEY, "nope");
    assert_eq!(passphrase.kind(), &ErrorKind::Unauthenticated);
    assert_eq!(
        passphrase.to_string(),
        "unlock Key: gopenpgp: error in unlocking key"
    );
    let text = refusal("hunter2", "case-pass").to_string();
    assert!(text.starts_with("key From Armored: "), "{text}");
    assert!(!text.contains("hunter2"));
}

#[test]
fn what_is_no_message_to_this_key_is_refused() {
    let broken = MESSAGE.replace("0kQBBbzut8tuv2", "0kQBBbzut8tuv3");

    assert!(key().open("hunter2").is_err());
    assert!(key().open(&broken).is_err());
}
