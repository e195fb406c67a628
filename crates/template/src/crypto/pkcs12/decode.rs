//! Opens a PKCS #12 file.

use super::cipher::{self, Pbkdf2, hmac_hash};
use super::kdf::{self, Hash, Purpose, Secret};
use super::{Contents, malformed, password_bytes, utf8_password};
use crate::crypto::keys::PrivateKey;
use crate::der::{Element, Reader, oid, tag};
use crate::failure::{Failure, Outcome};
use crate::limits::Meter;
use crate::x509::Certificate;

/// The key and certificates of a file.
pub(crate) fn decode(meter: &mut Meter, data: &[u8], password: &[u8]) -> Outcome<Contents> {
    let password = password_bytes(password)?;
    let (bags, password) = open(meter, data, password)?;
    let (mut key, mut certificate, mut others) = (None, None, Vec::new());
    for bag in &bags {
        match &bag.id[..] {
            oid::CERT_BAG => {
                let found = certificate_of(&bag.value)?;
                match certificate {
                    None => certificate = Some(found),
                    Some(_) => others.push(found),
                }
            }
            oid::KEY_BAG | oid::SHROUDED_KEY_BAG if key.is_some() => {
                return Err(Failure::new("pkcs12: expected exactly one key bag"));
            }
            oid::KEY_BAG => {
                let found = PrivateKey::parse_pkcs8(&bag.value);
                key = Some(found.ok_or_else(|| Failure::new("x509: failed to parse private key"))?);
            }
            oid::SHROUDED_KEY_BAG => key = Some(shrouded_key(meter, &bag.value, &password)?),
            _ => {}
        }
    }
    let certificate = certificate.ok_or_else(|| Failure::new("pkcs12: certificate missing"))?;
    let key = key.ok_or_else(|| Failure::new("pkcs12: private key missing"))?;
    Ok(Contents {
        key,
        certificate,
        others,
    })
}

/// A bag with its contents, decrypted as far as the file as a whole is.
struct Bag {
    id: Vec<u8>,
    value: Vec<u8>,
}

fn unreadable() -> Failure {
    Failure::new("pkcs12: error reading P12 data: asn1: structure error")
}

/// All bags of the file, and the password that fits.
fn open(meter: &mut Meter, data: &[u8], password: Vec<u8>) -> Outcome<(Vec<Bag>, Vec<u8>)> {
    let whole = Reader::single(data, tag::SEQUENCE).ok_or_else(unreadable)?;
    let mut fields = Reader::new(whole.body);
    let version = fields.number().ok_or_else(unreadable)?;
    let mut info = fields.sequence().ok_or_else(unreadable)?;
    let content_type = info.oid().ok_or_else(unreadable)?;
    let content = info.optional(tag::CONTEXT_0);
    let mac = fields.optional(tag::SEQUENCE);
    if !fields.is_empty() {
        return Err(unreadable());
    }
    if version != 3 {
        return Err(Failure::new("pkcs12: can only decode v3 PFX PDU's"));
    }
    if content_type != oid::DATA {
        return Err(Failure::new(
            "pkcs12: only password-protected PFX is implemented",
        ));
    }
    let content = content.ok_or_else(malformed)?;
    let safe = Reader::single(content.body, tag::OCTET_STRING)
        .ok_or_else(malformed)?
        .body;
    let password = verify(meter, mac, safe, password)?;
    let list = Reader::single(safe, tag::SEQUENCE).ok_or_else(malformed)?;
    let mut bags = Vec::new();
    let mut parts = Reader::new(list.body);
    let mut count = 0;
    let mut contents = Vec::new();
    while !parts.is_empty() {
        contents.push(parts.sequence().ok_or_else(malformed)?);
        count += 1;
    }
    if !(1..=2).contains(&count) {
        return Err(Failure::new(format!(
            "pkcs12: expected between 1 and 2 items in the authenticated safe, \
             but this file has {count}"
        )));
    }
    for info in contents {
        let data = safe_contents(meter, info, &password)?;
        read_bags(&data, &mut bags)?;
    }
    Ok((bags, password))
}

/// Checks the code of the file; an empty password may also be no password at all.
fn verify(
    meter: &mut Meter,
    mac: Option<Element<'_>>,
    safe: &[u8],
    password: Vec<u8>,
) -> Outcome<Vec<u8>> {
    let empty = password == [0, 0];
    let Some(mac) = mac else {
        return if empty {
            Ok(password)
        } else {
            Err(Failure::new("pkcs12: no MAC in data"))
        };
    };
    if is_verified(meter, mac, safe, &password)? {
        return Ok(password);
    }
    if empty && is_verified(meter, mac, safe, &[])? {
        return Ok(Vec::new());
    }
    Err(Failure::new("pkcs12: decryption password incorrect"))
}

fn is_verified(meter: &mut Meter, mac: Element<'_>, safe: &[u8], password: &[u8]) -> Outcome<bool> {
    let mut fields = Reader::new(mac.body);
    let mut info = fields.sequence().ok_or_else(unreadable)?;
    let mut algorithm = info.sequence().ok_or_else(unreadable)?;
    let digest = info.octets().ok_or_else(unreadable)?;
    let salt = fields.octets().ok_or_else(unreadable)?;
    let rounds = if fields.is_empty() {
        1
    } else {
        fields.number().ok_or_else(unreadable)?
    };
    let id = algorithm.oid().ok_or_else(unreadable)?;
    let hash = match id {
        oid::SHA1 => Hash::Sha1,
        oid::SHA256 => Hash::Sha256,
        oid::SHA512 => Hash::Sha512,
        oid::PBMAC1 => return pbmac1(meter, algorithm, safe, password).map(|mac| mac == digest),
        _ => {
            let id = oid::dotted(id);
            return Err(Failure::new(format!(
                "pkcs12: MAC digest algorithm not supported: {id}"
            )));
        }
    };
    let secret = Secret {
        salt,
        rounds,
        password,
    };
    let key = kdf::derive(meter, hash, &secret, Purpose::Mac, hash.size())?;
    Ok(kdf::mac(hash, &key, safe) == digest)
}

fn pbmac1(
    meter: &mut Meter,
    mut algorithm: Reader<'_>,
    safe: &[u8],
    password: &[u8],
) -> Outcome<Vec<u8>> {
    let mut params = algorithm.sequence().ok_or_else(malformed)?;
    let derivation = params.sequence().ok_or_else(malformed)?;
    let pbkdf2 = Pbkdf2::read(derivation, "PBMAC1 KDF algorithm", "PBMAC1 PRF")?;
    let mut code = params.sequence().ok_or_else(malformed)?;
    let hash = hmac_hash(code.oid().ok_or_else(malformed)?, "PBMAC1 MAC algorithm")?;
    let size = pbkdf2
        .key_len
        .filter(|len| (1..=1024).contains(len))
        .ok_or_else(|| {
            Failure::new(
                "pkcs12: PBMAC1 requires explicit KeyLength parameter in PBKDF2 parameters",
            )
        })?;
    let password = utf8_password(password);
    let secret = Secret {
        salt: pbkdf2.salt,
        rounds: pbkdf2.rounds,
        password: &password,
    };
    let key = kdf::pbkdf2(
        meter,
        pbkdf2.hash,
        &secret,
        usize::try_from(size).unwrap_or(0),
    )?;
    Ok(kdf::mac(hash, &key, safe))
}

/// The bags of one part of the file, decrypted if need be.
fn safe_contents(meter: &mut Meter, mut info: Reader<'_>, password: &[u8]) -> Outcome<Vec<u8>> {
    let id = info.oid().ok_or_else(malformed)?;
    let content = info.optional(tag::CONTEXT_0).ok_or_else(malformed)?;
    match id {
        oid::DATA => {
            let data = Reader::single(content.body, tag::OCTET_STRING).ok_or_else(malformed)?;
            Ok(data.body.to_vec())
        }
        oid::ENCRYPTED_DATA => {
            let whole = Reader::single(content.body, tag::SEQUENCE).ok_or_else(malformed)?;
            let mut fields = Reader::new(whole.body);
            if fields.number().ok_or_else(malformed)? != 0 {
                return Err(Failure::new(
                    "pkcs12: only version 0 of EncryptedData is supported",
                ));
            }
            let mut inner = fields.sequence().ok_or_else(malformed)?;
            inner.oid().ok_or_else(malformed)?;
            let algorithm = inner.sequence().ok_or_else(malformed)?;
            let data = inner
                .optional(0x80)
                .map(|data| data.body)
                .unwrap_or_default();
            cipher::decrypt(meter, algorithm, data, password)
        }
        _ => Err(Failure::new(
            "pkcs12: only data and encryptedData content types are supported in authenticated safe",
        )),
    }
}

fn read_bags(data: &[u8], bags: &mut Vec<Bag>) -> Outcome<()> {
    let list = Reader::single(data, tag::SEQUENCE).ok_or_else(malformed)?;
    let mut list = Reader::new(list.body);
    while !list.is_empty() {
        let mut bag = list.sequence().ok_or_else(malformed)?;
        let id = bag.oid().ok_or_else(malformed)?;
        let value = bag.read(tag::CONTEXT_0).ok_or_else(malformed)?;
        bags.push(Bag {
            id: id.to_vec(),
            value: value.body.to_vec(),
        });
    }
    Ok(())
}

fn certificate_of(bag: &[u8]) -> Outcome<Certificate> {
    let bad = || Failure::new("pkcs12: error decoding cert bag: asn1: structure error");
    let whole = Reader::single(bag, tag::SEQUENCE).ok_or_else(bad)?;
    let mut fields = Reader::new(whole.body);
    if fields.oid().ok_or_else(bad)? != oid::X509_CERTIFICATE {
        return Err(Failure::new(
            "pkcs12: only X509 certificates are supported in cert bags",
        ));
    }
    let value = fields.read(tag::CONTEXT_0).ok_or_else(bad)?;
    let data = Reader::single(value.body, tag::OCTET_STRING).ok_or_else(bad)?;
    Certificate::parse(data.body).map_err(Failure::new)
}

fn shrouded_key(meter: &mut Meter, bag: &[u8], password: &[u8]) -> Outcome<PrivateKey> {
    let bad =
        || Failure::new("pkcs12: error decoding PKCS#8 shrouded key bag: asn1: structure error");
    let whole = Reader::single(bag, tag::SEQUENCE).ok_or_else(bad)?;
    let mut fields = Reader::new(whole.body);
    let algorithm = fields.sequence().ok_or_else(bad)?;
    let data = fields.octets().ok_or_else(bad)?;
    let plain = cipher::decrypt(meter, algorithm, data, password).map_err(|why| match why {
        limit @ Failure::Limit(_) => limit,
        Failure::Message(parts) => parts.into_iter().fold(
            Failure::new("pkcs12: error decrypting PKCS#8 shrouded key bag: "),
            Failure::with,
        ),
    })?;
    PrivateKey::parse_pkcs8(&plain).ok_or_else(|| {
        Failure::new("pkcs12: error parsing PKCS#8 private key: x509: failed to parse private key")
    })
}
