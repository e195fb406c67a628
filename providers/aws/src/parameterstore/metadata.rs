//! `metadata` of a push to Parameter Store.

use aws_sdk_ssm::types::ParameterType;
use lockstep_provider_api::metadata;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use crate::managed::Tags;

/// How a parameter is written, beside its value.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct PushMetadata {
    secret_type: String,
    #[serde(rename = "kmsKeyID")]
    kms_key_id: String,
    tier: Tier,
    pub(super) encode_as_decoded: bool,
    pub(super) tags: Tags,
    pub(super) description: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Tier {
    r#type: String,
    policies: Option<serde_json::Value>,
}

impl PushMetadata {
    pub(super) fn parse(item: &PushItem) -> Result<Self> {
        let parsed: Result<Option<Self>> = metadata::parse(item.metadata.as_ref());
        let parsed = parsed.map_err(|error| error.context("failed to parse metadata"))?;
        let metadata = parsed.unwrap_or_default();
        metadata.kind()?;
        Ok(metadata)
    }

    pub(super) fn kind(&self) -> Result<ParameterType> {
        match self.secret_type.as_str() {
            "" | "String" => Ok(ParameterType::String),
            "StringList" => Ok(ParameterType::StringList),
            "SecureString" => Ok(ParameterType::SecureString),
            other => Err(Error::invalid_spec(format!(
                "invalid secretType {other:?}; use String, StringList or SecureString"
            ))),
        }
    }

    /// The key that encrypts the parameter, where it is encrypted.
    pub(super) fn kms_key(&self) -> Result<Option<String>> {
        if self.kind()? != ParameterType::SecureString {
            return Ok(None);
        }
        Ok(Some(if self.kms_key_id.is_empty() {
            "alias/aws/ssm".to_owned()
        } else {
            self.kms_key_id.clone()
        }))
    }

    /// Whether the advanced tier is wanted; no other is ever named to the service.
    pub(super) fn is_advanced(&self) -> bool {
        self.tier.r#type == "Advanced"
    }

    /// Policies of the advanced tier, as JSON text.
    pub(super) fn policies(&self) -> Option<String> {
        let policies = self.tier.policies.as_ref().map(ToString::to_string);
        policies.filter(|_| self.is_advanced())
    }
}
