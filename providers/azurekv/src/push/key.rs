//! The body that imports a key: an RSA or elliptic curve key in PEM, and anything else as the octets
//! of a symmetric key.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lockstep_provider_api::prelude::*;
use lockstep_template::keys::{KeyPair, Numbers, pem_blocks};
use serde_json::{Map, Value, json};

use super::Wanted;
use crate::read::Bundle;

/// Members of a key that a vault shows; equal ones are the same key.
const PUBLIC: [&str; 5] = ["n", "e", "crv", "x", "y"];

/// The body to write; `None` where the vault has the key already. A vault shows nothing of a
/// symmetric key, so that one is always written.
pub(super) fn prepare(
    value: &SecretValue,
    wanted: &Wanted,
    there: Option<&Bundle>,
) -> Result<Option<Value>> {
    let key = jwk(value.expose())?;
    let there = there.and_then(|there| there.key.as_ref());
    if there.is_some_and(|there| is_same(&key, there)) {
        return Ok(None);
    }
    Ok(Some(json!({
        "key": key,
        "attributes": {},
        "tags": wanted.tags,
    })))
}

fn is_same(key: &Map<String, Value>, there: &Map<String, Value>) -> bool {
    // Keys in hardware are of the same type with another name.
    let kind = there.get("kty").and_then(Value::as_str).unwrap_or_default();
    let same_kind = key.get("kty").and_then(Value::as_str) == Some(kind.trim_end_matches("-HSM"));
    let mut shown = PUBLIC
        .iter()
        .filter(|name| key.contains_key(**name))
        .peekable();
    same_kind && shown.peek().is_some() && shown.all(|name| key.get(*name) == there.get(*name))
}

fn jwk(value: &[u8]) -> Result<Map<String, Value>> {
    let Some(block) = pem_blocks(value).into_iter().next() else {
        return Ok(members("oct", [("k", value)]));
    };
    let refused = || Error::invalid_data(format!("key type {} is not supported", block.kind));
    let known = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"];
    if !known.contains(&block.kind.as_str()) {
        return Err(refused());
    }
    let key = KeyPair::from_der(&block.der)
        .ok_or_else(|| Error::invalid_data(format!("the {} cannot be read", block.kind)))?;
    Ok(match key.numbers().ok_or_else(refused)? {
        Numbers::Rsa {
            n,
            e,
            d,
            p,
            q,
            dp,
            dq,
            qi,
        } => members(
            "RSA",
            [
                ("n", &*n),
                ("e", &e),
                ("d", &d),
                ("p", &p),
                ("q", &q),
                ("dp", &dp),
                ("dq", &dq),
                ("qi", &qi),
            ],
        ),
        Numbers::Ec { curve, x, y, d } => {
            let mut key = members("EC", [("x", &*x), ("y", &y), ("d", &d)]);
            key.insert("crv".to_owned(), curve.into());
            key
        }
    })
}

fn members<const N: usize>(kind: &str, numbers: [(&str, &[u8]); N]) -> Map<String, Value> {
    let mut key = Map::new();
    key.insert("kty".to_owned(), kind.into());
    for (name, bytes) in numbers {
        key.insert(name.to_owned(), URL_SAFE_NO_PAD.encode(bytes).into());
    }
    key
}
