//! JSON Web Keys, as far as Go can write them as PEM: RSA, ECDSA and Ed25519.

use lockstep_golang::base64::{self, Encoding};
use lockstep_golang::json::{self, Value};

use super::ec::{Curve, EcKey};
use super::keys::{PrivateKey, ec_public, ed25519_public, rsa_public};
use super::rsa::{RsaKey, public_pkcs1};

/// A key read from JSON.
pub(crate) enum Jwk {
    Private(PrivateKey),
    /// With its algorithm, in DER, and the name of its type in Go.
    Public(Vec<u8>, &'static str),
}

/// Why a text is no key; never shows any of it.
pub(crate) type Problem = String;

impl Jwk {
    pub(crate) fn parse(text: &[u8]) -> Result<Self, Problem> {
        let decoded = json::decode(text).map_err(|error| match error {
            json::Error::UnexpectedEnd => {
                format!("failed to unmarshal JSON into key hint: {error}")
            }
            _ => "failed to unmarshal JSON into key hint: not a JSON object".to_owned(),
        })?;
        let Value::Object(members) = decoded else {
            return Err("failed to unmarshal JSON into key hint: not a JSON object".to_owned());
        };
        let member = |name: &str| match members.get(name) {
            Some(Value::String(text)) => Some(text.as_str()),
            _ => None,
        };
        let field = Fields(&member);
        match member("kty").unwrap_or_default() {
            "RSA" => rsa(&field),
            "EC" => ec(&field),
            "OKP" => okp(&field),
            "oct" => Err("x509: a symmetric key cannot be written as PEM".to_owned()),
            _ => Err("invalid key type from JSON".to_owned()),
        }
    }
}

/// Access to the members that are texts.
struct Fields<'f>(&'f dyn Fn(&str) -> Option<&'f str>);

impl Fields<'_> {
    /// A member in base64url, with or without padding.
    fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>, Problem> {
        let Some(text) = (self.0)(name) else {
            return Ok(None);
        };
        let plain: Vec<u8> = text
            .bytes()
            .filter(|b| *b != b'=')
            .map(|b| match b {
                b'+' => b'-',
                b'/' => b'_',
                b => b,
            })
            .collect();
        base64::decode(Encoding::RawUrl, &plain)
            .map(Some)
            .map_err(|_| format!("failed to decode JSON: field {name} is not base64url"))
    }

    fn required(&self, name: &str, kind: &str) -> Result<Vec<u8>, Problem> {
        self.bytes(name)?.ok_or_else(|| {
            format!("failed to unmarshal JSON into key: required field {name} is missing ({kind})")
        })
    }
}

fn rsa(fields: &Fields<'_>) -> Result<Jwk, Problem> {
    let (n, e) = (fields.required("n", "RSA")?, fields.required("e", "RSA")?);
    let Some(d) = fields.bytes("d")? else {
        return Ok(Jwk::Public(
            rsa_public(&public_pkcs1(&n, &e)),
            "*rsa.PublicKey",
        ));
    };
    let (p, q) = (fields.required("p", "RSA")?, fields.required("q", "RSA")?);
    match RsaKey::new(&n, &e, &d, &p, &q) {
        Some(key) => Ok(Jwk::Private(PrivateKey::Rsa(key))),
        None => Err("crypto/rsa: the numbers of the key do not belong together".to_owned()),
    }
}

fn ec(fields: &Fields<'_>) -> Result<Jwk, Problem> {
    let curve = match (fields.0)("crv").unwrap_or_default() {
        "P-256" => Curve::P256,
        "P-384" => Curve::P384,
        "P-521" => Curve::P521,
        _ => return Err("failed to build ECDSA key: unsupported curve".to_owned()),
    };
    let (x, y) = (fields.required("x", "EC")?, fields.required("y", "EC")?);
    let Some(d) = fields.bytes("d")? else {
        return match curve.point(&x, &y) {
            Some(point) => Ok(Jwk::Public(ec_public(curve, &point), "*ecdsa.PublicKey")),
            None => Err("x509: invalid elliptic curve public key".to_owned()),
        };
    };
    match EcKey::new(curve, &d) {
        Some(key) => Ok(Jwk::Private(PrivateKey::Ec(key))),
        None => Err("x509: invalid elliptic curve private key value".to_owned()),
    }
}

fn okp(fields: &Fields<'_>) -> Result<Jwk, Problem> {
    match (fields.0)("crv").unwrap_or_default() {
        "Ed25519" => {}
        "X25519" => return Err("x509: X25519 keys cannot be written as PEM".to_owned()),
        _ => return Err("failed to build OKP key: unsupported curve".to_owned()),
    }
    let x = fields.required("x", "OKP")?;
    let Some(d) = fields.bytes("d")? else {
        return Ok(Jwk::Public(ed25519_public(&x), "ed25519.PublicKey"));
    };
    let seed = <[u8; 32]>::try_from(d).map_err(|_| "ed25519: wrong private key size".to_owned())?;
    if ed25519_dalek::SigningKey::from_bytes(&seed)
        .verifying_key()
        .as_bytes()
        != &x[..]
    {
        return Err("ed25519: invalid x value given d value".to_owned());
    }
    Ok(Jwk::Private(PrivateKey::Ed25519(seed)))
}
