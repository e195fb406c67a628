//! `metadata` of a push to Secrets Manager, and the resource policy it may name.

use lockstep_provider_api::metadata;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use crate::managed::Tags;

/// How a secret is written, beside its value.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct PushMetadata {
    pub(super) tags: Tags,
    pub(super) description: String,
    secret_push_format: String,
    pub(super) kms_key_id: String,
    pub(super) resource_policy: Option<ResourcePolicy>,
    pub(super) replication_locations: Vec<String>,
}

/// A resource policy to put on the secret.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct ResourcePolicy {
    pub(super) block_public_policy: Option<bool>,
    policy_source_ref: PolicySource,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct PolicySource {
    kind: String,
    name: String,
    key: String,
}

/// Whether a value is kept as bytes or as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Binary,
    Text,
}

impl PushMetadata {
    pub(super) fn parse(item: &PushItem) -> Result<Self> {
        let parsed: Result<Option<Self>> = metadata::parse(item.metadata.as_ref());
        let parsed = parsed.map_err(|error| error.context("failed to parse metadata"))?;
        let metadata = parsed.unwrap_or_default();
        metadata.format()?;
        Ok(metadata)
    }

    pub(super) fn format(&self) -> Result<Format> {
        match self.secret_push_format.as_str() {
            "" | "binary" => Ok(Format::Binary),
            "string" => Ok(Format::Text),
            other => Err(Error::invalid_spec(format!(
                "invalid secret push format: {other}"
            ))),
        }
    }
}

impl ResourcePolicy {
    /// The policy's text, from the namespace of the PushSecret.
    pub(super) async fn text(&self, item: &PushItem, ctx: &Ctx) -> Result<String> {
        let source = &self.policy_source_ref;
        let namespace = item.namespace.as_deref();
        let namespace = namespace.or(ctx.store().namespace.as_deref());
        let namespace = namespace.unwrap_or_default();
        let PolicySource { kind, name, key } = source;
        let place = format!("{kind} {namespace}/{name}");
        let failed = |error: Error| error.context(format!("failed to get {place}"));
        let found = match kind.as_str() {
            "ConfigMap" => {
                let mut data = ctx.config_map_in(namespace, name).await.map_err(failed)?;
                data.remove(key)
            }
            "Secret" => {
                let mut data = ctx.secret_in(namespace, name).await.map_err(failed)?;
                let value = data.remove(key);
                value
                    .map(|value| value.expose_utf8().map(str::to_owned))
                    .transpose()?
            }
            other => {
                return Err(Error::invalid_spec(format!(
                    "unsupported PolicySourceRef kind: {other} (must be ConfigMap or Secret)"
                )));
            }
        };
        found.ok_or_else(|| Error::invalid_spec(format!("key {key} not found in {place}")))
    }
}
