//! AWS Certificate Manager: exported certificates are read by ARN, TLS Secrets are imported. Maps
//! and searches do not exist here. Each direction is in a file of its own.

use std::sync::Arc;

use aws_config::SdkConfig;
use aws_sdk_acm::Client;
use lockstep_provider_api::prelude::*;

use crate::call::{Caller, Names};
use crate::endpoint::Endpoint;
use crate::spec::AwsSpec;

mod export;
mod import;
mod key;
mod tags;

use export::Exports;

pub(crate) const NAMES: Names = Names {
    title: "ACM",
    prefix: "acm",
    metric: "AWS/CertificateManager",
    noun: "certificate",
};

const TAGGING: Names = Names {
    title: "Resource Groups Tagging API",
    prefix: "tag",
    metric: "AWS/CertificateManager",
    noun: "certificate",
};

pub(crate) const CAPABILITIES: Capabilities = Capabilities {
    read: true,
    write: true,
    delete: true,
    exists: true,
    ..Capabilities::NONE
};

/// A connection to Certificate Manager.
#[derive(Clone, Debug)]
pub(crate) struct CertificateManager {
    client: Client,
    tagging: aws_sdk_resourcegroupstagging::Client,
    caller: Caller,
    tagger: Caller,
    prefix: String,
    exports: Arc<Exports>,
}

impl CertificateManager {
    pub(crate) fn new(spec: &AwsSpec, config: &SdkConfig, caller: Caller) -> Result<Self> {
        let mut acm = aws_sdk_acm::config::Builder::from(config);
        if let Some(url) = Endpoint::Acm.url(&caller.ctx)? {
            acm = acm.endpoint_url(url);
        }
        let mut tagging = aws_sdk_resourcegroupstagging::config::Builder::from(config);
        if let Some(url) = Endpoint::Tagging.url(&caller.ctx)? {
            tagging = tagging.endpoint_url(url);
        }
        Ok(Self {
            client: Client::from_conf(acm.build()),
            tagging: aws_sdk_resourcegroupstagging::Client::from_conf(tagging.build()),
            tagger: caller.with_names(&TAGGING),
            exports: caller.ctx.shared(),
            caller,
            prefix: spec.prefix().to_owned(),
        })
    }
}

/// The answer to what this service has not.
pub(crate) fn unsupported() -> Error {
    Error::unsupported("operation not supported by AWS Certificate Manager provider")
}
