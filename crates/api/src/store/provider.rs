//! The union under `spec.provider`: one key that names the provider, and its settings as JSON.
//! The settings are not looked at here; each provider reads its own.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Settings by provider name; a usable store has exactly one.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProviderUnion(BTreeMap<String, Value>);

/// A store that names no provider, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("secret stores must only have exactly one backend specified, found {found}")]
pub struct ProviderCountError {
    /// How many are named.
    pub found: usize,
}

impl ProviderUnion {
    /// A union with one provider.
    pub fn one(name: &str, settings: Value) -> Self {
        Self(BTreeMap::from([(name.to_owned(), settings)]))
    }

    /// The one provider and its settings.
    pub fn only(&self) -> Result<(&str, &Value), ProviderCountError> {
        let mut named = self.named();
        match (named.next(), named.next()) {
            (Some(provider), None) => Ok(provider),
            _ => Err(ProviderCountError {
                found: self.named().count(),
            }),
        }
    }

    /// Whether no key is written at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Providers in order of their names; a key set to `null` names none.
    fn named(&self) -> impl Iterator<Item = (&str, &Value)> {
        let given = self.0.iter().filter(|(_, settings)| !settings.is_null());
        given.map(|(name, settings)| (name.as_str(), settings))
    }
}

/// Names only: some providers take secret values in their settings.
impl fmt::Debug for ProviderUnion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl JsonSchema for ProviderUnion {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ProviderUnion".into()
    }

    /// The envelope; the providers' own schemas are put under `properties` when CRDs are made.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "minProperties": 1, "maxProperties": 1, "properties": {} })
    }
}
