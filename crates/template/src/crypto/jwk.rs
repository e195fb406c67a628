//! JSON Web Keys, as far as Go can write them as PEM: RSA, ECDSA and Ed25519.

use std::collections::BTreeMap;

use lockstep_golang::base64::{self, Encoding};
use lockstep_golang::json::{self, Value};

use super::ec::{Curve, EcKey};
use super::keys::{PrivateKey, ec_public, ed25519_public, rsa_public};
use super::rsa::{RsaKey, public_pkcs1};
use crate::failure::{Failure, Outcome};
use crate::funcs::json_failure;

/// A key read from JSON.
pub(crate) enum Jwk {
    Private(PrivateKey),
    /// With its algorithm, in DER, and the name of its type in Go.
    Public(Vec<u8>, &'static str),
    /// A key Go has no PEM for, and the name of its type.
    Other(&'static str),
    /// An RSA key without its primes, which Go reads and cannot write.
    WithoutPrimes,
}

impl Jwk {
    pub(crate) fn parse(text: &[u8]) -> Outcome<Self> {
        const HINT: &str = "failed to unmarshal JSON into key hint: ";
        let decoded = json::decode(text).map_err(|error| json_failure(HINT, &error))?;
        let Value::Object(members) = decoded else {
            return Err(Failure::new(format!("{HINT}not a JSON object")));
        };
        let field = Fields(&members);
        match field.text("kty") {
            "RSA" => rsa(&field),
            "EC" => ec(&field),
            "OKP" => okp(&field),
            "oct" => Ok(Self::Other("[]uint8")),
            "" => Err(Failure::new("invalid key type from JSON ()")),
            _ => Err(Failure::new("invalid key type from JSON")),
        }
    }
}

/// Access to the members.
struct Fields<'f>(&'f BTreeMap<String, Value>);

impl Fields<'_> {
    fn text(&self, name: &str) -> &str {
        match self.0.get(name) {
            Some(Value::String(text)) => text,
            _ => "",
        }
    }

    /// A member in base64url, with or without padding.
    fn bytes(&self, name: &str) -> Outcome<Option<Vec<u8>>> {
        let text = match self.0.get(name) {
            None => return Ok(None),
            Some(Value::String(text)) => text,
            Some(_) => {
                return Err(Failure::new(format!(
                    "failed to unmarshal JSON into key: failed to decode value for key {name}: \
                     expected base64 encoded []byte (string)"
                )));
            }
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
            .map_err(|_| {
                Failure::new(format!(
                    "failed to decode JSON: field {name} is not base64url"
                ))
            })
    }

    fn required(&self, name: &str, kind: &str) -> Outcome<Vec<u8>> {
        self.bytes(name)?.ok_or_else(|| {
            Failure::new(format!(
                "failed to unmarshal JSON into key: required field {name} is missing ({kind})"
            ))
        })
    }
}

fn rsa(fields: &Fields<'_>) -> Outcome<Jwk> {
    let (modulus, public) = (fields.required("n", "RSA")?, fields.required("e", "RSA")?);
    let Some(private) = fields.bytes("d")? else {
        return Ok(Jwk::Public(
            rsa_public(&public_pkcs1(&modulus, &public)),
            "*rsa.PublicKey",
        ));
    };
    let (Some(first), Some(second)) = (fields.bytes("p")?, fields.bytes("q")?) else {
        return Ok(Jwk::WithoutPrimes);
    };
    match RsaKey::new([&modulus, &public, &private, &first, &second]) {
        Some(key) => Ok(Jwk::Private(PrivateKey::Rsa(key))),
        None => Err(Failure::new(
            "crypto/rsa: the numbers of the key do not belong together",
        )),
    }
}

fn ec(fields: &Fields<'_>) -> Outcome<Jwk> {
    let curve = match fields.text("crv") {
        "P-256" => Curve::P256,
        "P-384" => Curve::P384,
        "P-521" => Curve::P521,
        _ => return Err(Failure::new("failed to build ECDSA key: unsupported curve")),
    };
    let (x, y) = (fields.required("x", "EC")?, fields.required("y", "EC")?);
    let Some(d) = fields.bytes("d")? else {
        return match curve.point(&x, &y) {
            Some(point) => Ok(Jwk::Public(ec_public(curve, &point), "*ecdsa.PublicKey")),
            None => Err(Failure::new("x509: invalid elliptic curve public key")),
        };
    };
    let Some(point) = curve.point(&x, &y) else {
        return Err(Failure::new(format!(
            "x509: failed to marshal EC private key while building PKCS#8: \
             {curve:?} point not on curve"
        )));
    };
    match EcKey::new(curve, &d) {
        Some(key) => Ok(Jwk::Private(PrivateKey::Ec(key.with_point(point)))),
        None => Err(Failure::new(
            "x509: invalid elliptic curve private key value",
        )),
    }
}

fn okp(fields: &Fields<'_>) -> Outcome<Jwk> {
    match fields.text("crv") {
        "Ed25519" => {}
        "X25519" => return Err(Failure::new("x509: X25519 keys cannot be written as PEM")),
        _ => return Err(Failure::new("failed to build OKP key: unsupported curve")),
    }
    let x = fields.required("x", "OKP")?;
    let Some(d) = fields.bytes("d")? else {
        return Ok(Jwk::Public(ed25519_public(&x), "ed25519.PublicKey"));
    };
    let seed =
        <[u8; 32]>::try_from(d).map_err(|_| Failure::new("ed25519: wrong private key size"))?;
    if ed25519_dalek::SigningKey::from_bytes(&seed)
        .verifying_key()
        .as_bytes()
        != &x[..]
    {
        return Err(Failure::new("ed25519: invalid x value given d value"));
    }
    Ok(Jwk::Private(PrivateKey::Ed25519(seed)))
}

#[cfg(test)]
mod tests {
    use super::Jwk;

    #[test]
    fn a_private_exponent_that_is_no_text_does_not_make_the_key_public() {
        for d in ["5", "null", "[]"] {
            let text = format!(
                r#"{{"kty":"OKP","crv":"Ed25519","d":{d},
                    "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}}"#
            );

            assert!(Jwk::parse(text.as_bytes()).is_err(), "{d}");
        }
    }
}
