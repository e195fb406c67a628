//! The `metadata` of a push entry: an envelope with apiVersion, kind and a provider's own spec.
//! Keys are matched as Go matches them, whatever their case, and unknown ones are refused.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

mod fold;
#[cfg(test)]
mod tests;

/// apiVersion of the envelope.
pub const API_VERSION: &str = "kubernetes.external-secrets.io/v1alpha1";
/// Kind of the envelope.
pub const KIND: &str = "PushSecretMetadata";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound = "T: DeserializeOwned")]
struct Envelope<T> {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    spec: Option<T>,
}

/// The spec inside a push entry's metadata; `None` where the entry has no metadata.
pub fn parse<T: DeserializeOwned + Default>(
    metadata: Option<&serde_json::Value>,
) -> Result<Option<T>> {
    let Some(raw) = metadata else {
        return Ok(None);
    };
    let envelope: Envelope<T> = fold::from_value(raw.clone()).map_err(|error| {
        Error::invalid_spec(format!(
            "failed to parse {API_VERSION} {KIND}: error unmarshaling JSON: \
             while decoding JSON: {error}"
        ))
    })?;
    expect("apiVersion", &envelope.api_version, API_VERSION)?;
    expect("kind", &envelope.kind, KIND)?;
    Ok(Some(envelope.spec.unwrap_or_default()))
}

fn expect(field: &str, found: &str, wanted: &str) -> Result<()> {
    if found == wanted {
        return Ok(());
    }
    Err(Error::invalid_spec(format!(
        "unexpected {field} {found:?}, expected {wanted:?}"
    )))
}
