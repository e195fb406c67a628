//! AWS Secrets Manager. Each operation is in a file of its own; here is what they share: the
//! client, the names, and how a remote key becomes the id of a secret.

use std::sync::Arc;

use aws_config::SdkConfig;
use aws_sdk_secretsmanager::Client;
use lockstep_provider_api::prelude::*;

use crate::arn;
use crate::call::{Caller, Names};
use crate::endpoint::Endpoint;
use crate::spec::{AwsSpec, SecretsManagerSettings};

mod attributes;
mod batch;
mod delete;
mod find;
mod lifecycle;
mod metadata;
mod push;
mod read;
mod refusals;
mod version;

pub(crate) use lifecycle::BACKEND;
use refusals::Refusals;

pub(crate) const NAMES: Names = Names {
    title: "Secrets Manager",
    prefix: "secretsmanager",
    metric: "AWS/SecretsManager",
    noun: "secret",
};

/// Secrets in one batch read.
const BATCH: usize = 20;

pub(crate) const CAPABILITIES: Capabilities = Capabilities {
    read: true,
    write: true,
    delete: true,
    exists: true,
    find_by_name: true,
    find_by_tags: true,
    find_by_path: true,
    versions: true,
    metadata: true,
    batch: BATCH,
    max_value_size: Some(65_536),
    published: None,
};

/// A connection to Secrets Manager.
#[derive(Clone, Debug)]
pub(crate) struct SecretsManager {
    client: Client,
    caller: Caller,
    prefix: String,
    deletion: SecretsManagerSettings,
    refusals: Arc<Refusals>,
}

impl SecretsManager {
    pub(crate) fn new(spec: &AwsSpec, config: &SdkConfig, caller: Caller) -> Result<Self> {
        let mut builder = aws_sdk_secretsmanager::config::Builder::from(config);
        if let Some(url) = Endpoint::SecretsManager.url(&caller.ctx)? {
            builder = builder.endpoint_url(url);
        }
        Ok(Self {
            client: Client::from_conf(builder.build()),
            refusals: Refusals::of(&caller),
            caller,
            prefix: spec.prefix().to_owned(),
            deletion: spec.secrets_manager.clone().unwrap_or_default(),
        })
    }

    /// Name or ARN of the secret that a remote key means.
    fn id(&self, key: &str) -> Result<String> {
        let id = format!("{}{key}", self.prefix);
        arn::check(&id, NAMES.prefix, &self.caller.region)?;
        Ok(id)
    }

    /// The same connection for names that carry the prefix already.
    fn unprefixed(&self) -> Self {
        Self {
            prefix: String::new(),
            ..self.clone()
        }
    }
}
