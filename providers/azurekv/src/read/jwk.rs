//! The public part of a key as JSON, to the byte as the original operator writes it: its two clients
//! know the same members and write them in different orders.

use std::fmt::Write as _;

use lockstep_provider_api::prelude::*;
use serde_json::{Map, Value};

use super::Path;

/// The members in the order of the older client; the newer one sorts them.
const MEMBERS: [&str; 16] = [
    "kid", "kty", "key_ops", "n", "e", "d", "dp", "dq", "qi", "p", "q", "k", "key_hsm", "crv", "x",
    "y",
];

/// The key of an answer as text.
pub(super) fn public(mut key: Map<String, Value>, path: Path) -> Result<String> {
    let mut members = MEMBERS;
    if path == Path::Sdk {
        members.sort_unstable();
    }
    let mut text = String::from("{");
    for name in members {
        let Some(value) = key.remove(name).filter(|value| !value.is_null()) else {
            continue;
        };
        let value = serde_json::to_string(&value)
            .map_err(|_| Error::invalid_data("a member of the key has no JSON form"))?;
        if text.len() > 1 {
            text.push(',');
        }
        let _ = write!(text, "\"{name}\":{value}");
    }
    text.push('}');
    Ok(text)
}
