//! `spec.provider.onepassword`: its shape, its schema and the checks that need no server. Texts are
//! upstream's.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::selector::SecretKeySelector;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// Where refusals name a part of the token's selector.
const TOKEN: &str = "missing: spec.provider.onepassword.auth.secretRef.connectTokenSecretRef";

/// Items of vaults behind a Connect server.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnepasswordSpec {
    /// How to sign in.
    pub auth: Auth,
    /// Address of the Connect server.
    pub connect_host: String,
    /// Vaults to search, by name or id, each with its place in the order.
    #[schemars(schema_with = "places")]
    pub vaults: BTreeMap<String, i64>,
}

/// Upstream's schema does not say how large a number may be.
fn places(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": { "type": "integer" } })
}

/// How to sign in.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// With a token in a Secret.
    pub secret_ref: SecretRef,
}

/// Where the token is.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretRef {
    /// Key of a Secret that holds the token of the Connect server.
    pub connect_token_secret_ref: SecretKeySelector,
}

impl OnepasswordSpec {
    /// Where the token is.
    pub(crate) fn token(&self) -> &SecretKeySelector {
        &self.auth.secret_ref.connect_token_secret_ref
    }

    /// Checks everything the admission webhook can check.
    pub(crate) fn validate(&self, scope: &Scope) -> Result<()> {
        let checked = self.check(scope);
        checked.map_err(|error| error.context("received invalid 1Password SecretStore resource"))
    }

    fn check(&self, scope: &Scope) -> Result<()> {
        let token = self.token();
        let is_empty = |part: &Option<String>| part.as_deref().is_none_or(str::is_empty);
        if is_empty(&token.name) {
            return Err(Error::invalid_spec(format!("{TOKEN}.name")));
        }
        if is_empty(&token.key) {
            return Err(Error::invalid_spec(format!("{TOKEN}.key")));
        }
        scope.check_strict(token.namespace.as_deref())?;
        if self.vaults.is_empty() {
            return Err(Error::invalid_spec(
                "must be at least one vault: spec.provider.onepassword.vaults",
            ));
        }
        let orders: BTreeSet<_> = self.vaults.values().collect();
        if orders.len() != self.vaults.len() {
            return Err(Error::invalid_spec("vault order numbers must be unique"));
        }
        self.connect_host.parse::<http::Uri>().map_err(|error| {
            Error::invalid_spec(format!(
                "unable to parse URL: spec.provider.onepassword.connectHost: {error}"
            ))
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
