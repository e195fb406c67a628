//! Makes certificates, field by field as Go's `x509.CreateCertificate` does.

use std::net::IpAddr;

use sha2::{Digest as _, Sha256};

use super::keys::PrivateKey;
use crate::der::{self, oid, tag};
use crate::time::Time;
use crate::x509::Certificate;

/// What to put into a certificate.
pub(crate) struct Request<'a> {
    pub(crate) common_name: &'a [u8],
    pub(crate) dns_names: Vec<Vec<u8>>,
    pub(crate) addresses: Vec<IpAddr>,
    pub(crate) not_before: Time,
    pub(crate) not_after: Time,
    /// Random, below 2¹²⁸.
    pub(crate) serial: [u8; 16],
    pub(crate) is_ca: bool,
}

/// Who signs: the key, and the certificate unless the new one signs itself.
pub(crate) struct Signer<'a> {
    pub(crate) key: &'a PrivateKey,
    pub(crate) certificate: Option<&'a Certificate>,
}

/// Makes the certificate for `key`, in DER; the error is Go's sentence.
pub(crate) fn create(
    request: &Request<'_>,
    key: &PrivateKey,
    signer: &Signer<'_>,
) -> Result<Vec<u8>, String> {
    let public = key
        .to_public()
        .ok_or("x509: unsupported public key type: *dsa.PublicKey")?;
    let algorithm = signer
        .key
        .signature_algorithm()
        .ok_or("x509: certificate private key does not implement crypto.Signer")?;
    if let Some(parent) = signer.certificate
        && signer.key.to_public().as_ref() != Some(&parent.public_key)
    {
        return Err("x509: provided PrivateKey doesn't match parent's PublicKey".to_owned());
    }
    if let Some(name) = request.dns_names.iter().find(|name| !name.is_ascii()) {
        let shown = crate::strconv::quote(name);
        return Err(format!("x509: {shown} cannot be encoded as an IA5String"));
    }
    let subject = subject(request.common_name);
    let issuer = signer
        .certificate
        .map_or(&subject, |parent| &parent.subject);
    let body = der::sequence(&[
        &der::element(tag::CONTEXT_0, &der::number(2)),
        &der::unsigned(&request.serial),
        &algorithm,
        issuer,
        &der::sequence(&[&moment(&request.not_before)?, &moment(&request.not_after)?]),
        &subject,
        &public,
        &der::element(
            tag::CONTEXT_3,
            &extensions(request, &subject, &public, signer),
        ),
    ]);
    let signature = signer
        .key
        .sign(&body)
        .ok_or("crypto/rsa: message too long for RSA key size")?;
    Ok(der::sequence(&[&body, &algorithm, &der::bits(&signature)]))
}

/// A name of one part, or of none.
fn subject(common_name: &[u8]) -> Vec<u8> {
    if common_name.is_empty() {
        return der::sequence(&[]);
    }
    let printable = |byte: &u8| byte.is_ascii_alphanumeric() || b" '()+,-./:=?".contains(byte);
    let plain = common_name.iter().all(printable);
    let kind = if plain {
        tag::PRINTABLE_STRING
    } else {
        tag::UTF8_STRING
    };
    let pair = der::sequence(&[
        &der::object(oid::COMMON_NAME),
        &der::element(kind, common_name),
    ]);
    der::sequence(&[&der::element(tag::SET, &pair)])
}

/// Years from 1950 to 2049 in the short form, others in the long one.
fn moment(time: &Time) -> Result<Vec<u8>, String> {
    match time.calendar().year {
        1950..=2049 => Ok(der::element(tag::UTC_TIME, &time.format(b"060102150405Z"))),
        0..=9999 => Ok(der::element(
            tag::GENERALIZED_TIME,
            &time.format(b"20060102150405Z"),
        )),
        _ => Err("asn1: structure error: cannot represent time as GeneralizedTime".to_owned()),
    }
}

fn extension(id: &[u8], critical: bool, value: &[u8]) -> Vec<u8> {
    let flag = der::element(tag::BOOLEAN, &[0xff]);
    let flag = if critical { &flag[..] } else { &[] };
    der::sequence(&[&der::object(id), flag, &der::octets(value)])
}

fn extensions(
    request: &Request<'_>,
    subject: &[u8],
    public: &[u8],
    signer: &Signer<'_>,
) -> Vec<u8> {
    // Digital signature and key encipherment, and for an authority certificate signing.
    let usage: &[u8] = if request.is_ca {
        &[2, 0b1010_0100]
    } else {
        &[5, 0b1010_0000]
    };
    let purposes = der::sequence(&[
        &der::object(oid::SERVER_AUTH),
        &der::object(oid::CLIENT_AUTH),
    ]);
    let authority = der::element(tag::BOOLEAN, &[0xff]);
    let constraints = der::sequence(&[if request.is_ca { &authority } else { &[] }]);
    let mut list = vec![
        extension(oid::KEY_USAGE, true, &der::element(tag::BIT_STRING, usage)),
        extension(oid::EXT_KEY_USAGE, false, &purposes),
        extension(oid::BASIC_CONSTRAINTS, true, &constraints),
    ];
    if request.is_ca {
        let id = der::octets(&key_id(public));
        list.push(extension(oid::SUBJECT_KEY_ID, false, &id));
    }
    let parent = signer
        .certificate
        .filter(|parent| parent.subject != subject);
    if let Some(id) = parent
        .map(|parent| &parent.subject_key_id)
        .filter(|id| !id.is_empty())
    {
        let value = der::sequence(&[&der::element(0x80, id)]);
        list.push(extension(oid::AUTHORITY_KEY_ID, false, &value));
    }
    if !request.dns_names.is_empty() || !request.addresses.is_empty() {
        let critical = subject == der::sequence(&[]);
        list.push(extension(
            oid::SUBJECT_ALT_NAME,
            critical,
            &alternative_names(request),
        ));
    }
    der::element(tag::SEQUENCE, &list.concat())
}

/// The first bytes of the hash of the key itself.
fn key_id(public: &[u8]) -> Vec<u8> {
    let mut fields = der::Reader::new(public)
        .sequence()
        .unwrap_or(der::Reader::new(&[]));
    fields.sequence();
    Sha256::digest(fields.bits().unwrap_or_default())[..20].to_vec()
}

fn alternative_names(request: &Request<'_>) -> Vec<u8> {
    let dns = request
        .dns_names
        .iter()
        .map(|name| der::element(0x82, name));
    let addresses = request.addresses.iter().map(|address| {
        let v4 = match address {
            IpAddr::V4(v4) => Some(*v4),
            IpAddr::V6(v6) => v6.to_ipv4_mapped(),
        };
        match (v4, address) {
            (Some(v4), _) => der::element(0x87, &v4.octets()),
            (None, IpAddr::V6(v6)) => der::element(0x87, &v6.octets()),
            (None, IpAddr::V4(v4)) => der::element(0x87, &v4.octets()),
        }
    });
    der::element(
        tag::SEQUENCE,
        &dns.chain(addresses).collect::<Vec<_>>().concat(),
    )
}
