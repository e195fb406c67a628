//! One RSA key with its certificate in both forms, and a key of a curve. They were made with openssl
//! for these tests and are of no use elsewhere.

use super::*;

const PEM: &[u8] = include_bytes!("testdata/rsa.pem");
const PFX: &[u8] = include_bytes!("testdata/rsa.p12");
const EC: &[u8] = include_bytes!("testdata/ec.pem");

fn key_of(text: &[u8]) -> KeyPair {
    let blocks = pem_blocks(text);
    let block = blocks
        .iter()
        .find(|block| block.kind.ends_with("PRIVATE KEY"));
    KeyPair::from_der(&block.unwrap().der).unwrap()
}

#[test]
fn a_pkcs12_file_holds_the_key_and_certificate_of_its_pem_form() {
    let store = open_pkcs12(PFX, b"").unwrap();
    let blocks = pem_blocks(PEM);

    assert_eq!(store.certificates, [blocks[0].der.clone()]);
    assert!(store.key == key_of(PEM));
    assert!(store.key.belongs_to(&store.certificates[0]));
    assert!(!key_of(EC).belongs_to(&store.certificates[0]));
    assert_eq!(check_certificate(&store.certificates[0]), Ok(()));
}

#[test]
fn a_wrong_password_and_other_bytes_are_told_apart() {
    let password = open_pkcs12(PFX, b"nope").unwrap_err();
    let bytes = open_pkcs12(b"nope", b"").unwrap_err();

    assert_eq!(password, "pkcs12: decryption password incorrect");
    assert_eq!(
        bytes,
        "pkcs12: error reading P12 data: asn1: structure error"
    );
}

#[test]
fn numbers_have_the_lengths_that_jwk_wants() {
    let Some(Numbers::Rsa { n, e, qi, .. }) = key_of(PEM).numbers() else {
        panic!("an RSA key");
    };
    let Some(Numbers::Ec { curve, x, y, d }) = key_of(EC).numbers() else {
        panic!("a key of a curve");
    };

    assert_eq!((n.len(), e), (256, vec![1, 0, 1]));
    assert!(qi.len() <= 128);
    assert_eq!((curve, x.len(), y.len(), d.len()), ("P-256", 32, 32, 32));
}

#[test]
fn a_key_becomes_pem_again_and_never_prints_itself() {
    assert!(key_of(&key_of(PEM).to_pem()) == key_of(PEM));
    assert!(key_of(PEM).is_rsa() && !key_of(EC).is_rsa());
    assert_eq!(format!("{:?}", key_of(PEM)), "KeyPair(***)");
}
