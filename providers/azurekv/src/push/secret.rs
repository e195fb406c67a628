//! The body of a new version of a secret.

use lockstep_provider_api::prelude::*;
use serde_json::{Value, json};

use super::Wanted;
use crate::read::{Bundle, Path};

/// The body to write; `None` where the vault has it already. Tags alone make no new version.
pub(super) fn prepare(
    value: &SecretValue,
    wanted: &Wanted,
    there: Option<&Bundle>,
    path: Path,
) -> Result<Option<Value>> {
    let text = value.expose_utf8().map_err(|_| {
        Error::invalid_data(
            "the value is not text, and Key Vault keeps text only; push it as base64",
        )
    })?;
    if there.is_some_and(|there| is_same(text, wanted, there, path)) {
        return Ok(None);
    }
    let kept = there.and_then(|there| there.content_type.clone());
    let mut body = json!({ "value": text, "tags": wanted.tags });
    if let Some(content_type) = wanted.content_type.clone().or(kept) {
        body["contentType"] = content_type.into();
    }
    // The newer client of the original operator sends no attributes.
    if path == Path::Legacy {
        body["attributes"] = json!({ "enabled": true });
        if let Some(expires) = wanted.expires {
            body["attributes"]["exp"] = expires.into();
        }
    }
    Ok(Some(body))
}

fn is_same(text: &str, wanted: &Wanted, there: &Bundle, path: Path) -> bool {
    let content_type = wanted.content_type.as_ref();
    there.value.as_deref() == Some(text)
        && (path == Path::Sdk || there.attributes.exp == wanted.expires)
        && content_type.is_none_or(|wanted| there.content_type.as_ref() == Some(wanted))
}
