//! AWS Systems Manager Parameter Store. Each operation is in a file of its own; here is what they
//! share: the client, the names, and how a remote key becomes the name of a parameter.

use aws_config::SdkConfig;
use aws_sdk_ssm::Client;
use lockstep_provider_api::prelude::*;

use crate::arn;
use crate::call::{Caller, Names};
use crate::endpoint::Endpoint;
use crate::spec::AwsSpec;

mod find;
mod lifecycle;
mod metadata;
mod push;
mod read;

pub(crate) use lifecycle::BACKEND;

pub(crate) const NAMES: Names = Names {
    title: "SSM",
    prefix: "ssm",
    metric: "AWS/ParameterStore",
    noun: "parameter",
};

/// Parameters in one batch read.
const BATCH: usize = 10;

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
    // Of the advanced tier.
    max_value_size: Some(8192),
    published: None,
};

/// A connection to Parameter Store.
#[derive(Clone, Debug)]
pub(crate) struct ParameterStore {
    client: Client,
    caller: Caller,
    prefix: String,
}

impl ParameterStore {
    pub(crate) fn new(spec: &AwsSpec, config: &SdkConfig, caller: Caller) -> Result<Self> {
        let mut builder = aws_sdk_ssm::config::Builder::from(config);
        if let Some(url) = Endpoint::Ssm.url(&caller.ctx)? {
            builder = builder.endpoint_url(url);
        }
        Ok(Self {
            client: Client::from_conf(builder.build()),
            caller,
            prefix: spec.prefix().to_owned(),
        })
    }

    /// Name or ARN of the parameter that a remote key means.
    fn name(&self, key: &str) -> Result<String> {
        let name = format!("{}{key}", self.prefix);
        arn::check(&name, NAMES.prefix, &self.caller.region)?;
        Ok(name)
    }
}
