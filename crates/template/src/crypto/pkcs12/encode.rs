//! Writes PKCS #12 files: AES-256 with PBKDF2, checked with HMAC over SHA-256.

use aes::cipher::KeyInit as _;
use sha1::{Digest as _, Sha1};

use super::kdf::{self, Hash, Purpose, Secret};
use super::{Contents, malformed, password_bytes, ucs2};
use crate::context::Context;
use crate::crypto::cbc;
use crate::der::{self, oid, tag};
use crate::failure::{Failure, Outcome};
use crate::x509::Certificate;

const ROUNDS: u64 = 2048;

/// A file with a key, its certificate and further ones.
pub(crate) fn encode(
    cx: &mut Context<'_>,
    contents: &Contents,
    password: &[u8],
) -> Outcome<Vec<u8>> {
    let password = password_bytes(password)?;
    let fingerprint = Sha1::digest(&contents.certificate.raw);
    let key_id = attribute(oid::LOCAL_KEY_ID, &der::octets(&fingerprint));
    let mut bags = vec![certificate_bag(&contents.certificate, vec![key_id.clone()])];
    bags.extend(
        contents
            .others
            .iter()
            .map(|other| certificate_bag(other, Vec::new())),
    );

    let plain = contents.key.to_pkcs8().ok_or_else(|| {
        Failure::new(
            "pkcs12: error encoding PKCS#8 private key: \
             x509: unknown key type while marshaling PKCS#8",
        )
    })?;
    let (algorithm, encrypted) = encrypt(cx, plain, &password)?;
    let shrouded = der::sequence(&[&algorithm, &der::octets(&encrypted)]);
    let key_bag = bag(oid::SHROUDED_KEY_BAG, &shrouded, vec![key_id]);

    let certificates = encrypted_safe(cx, &bags.concat(), &password)?;
    let key = plain_safe(&key_bag);
    finish(cx, &[&certificates, &key], &password)
}

/// A Java trust store.
pub(crate) fn encode_trust_store(
    cx: &mut Context<'_>,
    certificates: &[Certificate],
    password: &[u8],
) -> Outcome<Vec<u8>> {
    let password = password_bytes(password)?;
    let trusted = attribute(oid::JAVA_TRUST_STORE, &der::object(oid::ANY_EXT_KEY_USAGE));
    let mut bags = Vec::new();
    for certificate in certificates {
        let name = ucs2(certificate.subject_text().as_bytes())?;
        let name = attribute(oid::FRIENDLY_NAME, &der::element(tag::BMP_STRING, &name));
        bags.extend(certificate_bag(certificate, vec![trusted.clone(), name]));
    }
    let safe = encrypted_safe(cx, &bags, &password)?;
    finish(cx, &[&safe], &password)
}

fn attribute(id: &[u8], value: &[u8]) -> Vec<u8> {
    der::sequence(&[&der::object(id), &der::element(tag::SET, value)])
}

fn bag(id: &[u8], value: &[u8], attributes: Vec<Vec<u8>>) -> Vec<u8> {
    let value = der::element(tag::CONTEXT_0, value);
    let attributes = if attributes.is_empty() {
        Vec::new()
    } else {
        der::set_of(attributes)
    };
    der::sequence(&[&der::object(id), &value, &attributes])
}

fn certificate_bag(certificate: &Certificate, attributes: Vec<Vec<u8>>) -> Vec<u8> {
    let data = der::element(tag::CONTEXT_0, &der::octets(&certificate.raw));
    let value = der::sequence(&[&der::object(oid::X509_CERTIFICATE), &data]);
    bag(oid::CERT_BAG, &value, attributes)
}

/// The algorithm with its parameters, and the encrypted bytes.
fn encrypt(
    cx: &mut Context<'_>,
    mut plain: Vec<u8>,
    password: &[u8],
) -> Outcome<(Vec<u8>, Vec<u8>)> {
    let salt = cx.random(16)?;
    let iv = cx.random(16)?;
    let password = super::utf8_password(password);
    let secret = Secret {
        salt: &salt,
        rounds: ROUNDS,
        password: &password,
    };
    let key = kdf::pbkdf2(&mut cx.meter, Hash::Sha256, &secret, 32)?;
    let cipher = aes::Aes256::new_from_slice(&key).map_err(|_| malformed())?;
    cbc::pad(&mut plain, 16);
    cbc::encrypt(&cipher, &iv, &mut plain);

    let prf = der::sequence(&[&der::object(oid::HMAC_SHA256)]);
    let params = der::sequence(&[&der::octets(&salt), &der::number(ROUNDS), &prf]);
    let derivation = der::sequence(&[&der::object(oid::PBKDF2), &params]);
    let scheme = der::sequence(&[&der::object(oid::AES256_CBC), &der::octets(&iv)]);
    let params = der::sequence(&[&derivation, &scheme]);
    Ok((der::sequence(&[&der::object(oid::PBES2), &params]), plain))
}

fn encrypted_safe(cx: &mut Context<'_>, bags: &[u8], password: &[u8]) -> Outcome<Vec<u8>> {
    let plain = der::element(tag::SEQUENCE, bags);
    let (algorithm, encrypted) = encrypt(cx, plain, password)?;
    let data = der::element(0x80, &encrypted);
    let inner = der::sequence(&[&der::object(oid::DATA), &algorithm, &data]);
    let content = der::sequence(&[&der::number(0), &inner]);
    let content = der::element(tag::CONTEXT_0, &content);
    Ok(der::sequence(&[
        &der::object(oid::ENCRYPTED_DATA),
        &content,
    ]))
}

fn plain_safe(bags: &[u8]) -> Vec<u8> {
    data_info(&der::element(tag::SEQUENCE, bags))
}

fn data_info(data: &[u8]) -> Vec<u8> {
    let content = der::element(tag::CONTEXT_0, &der::octets(data));
    der::sequence(&[&der::object(oid::DATA), &content])
}

/// Puts the parts together and adds the code.
fn finish(cx: &mut Context<'_>, parts: &[&[u8]], password: &[u8]) -> Outcome<Vec<u8>> {
    let safe = der::sequence(parts);
    let salt = cx.random(16)?;
    let secret = Secret {
        salt: &salt,
        rounds: ROUNDS,
        password,
    };
    let key = kdf::derive(&mut cx.meter, Hash::Sha256, &secret, Purpose::Mac, 32)?;
    let digest = kdf::mac(Hash::Sha256, &key, &safe);
    let algorithm = der::sequence(&[&der::object(oid::SHA256)]);
    let info = der::sequence(&[&algorithm, &der::octets(&digest)]);
    let mac = der::sequence(&[&info, &der::octets(&salt), &der::number(ROUNDS)]);
    Ok(der::sequence(&[&der::number(3), &data_info(&safe), &mac]))
}
