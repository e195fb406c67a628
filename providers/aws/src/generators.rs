//! Generators that sign in as stores of AWS do. What they share is the login part of their specs.

use aws_config::SdkConfig;
use lockstep_provider_api::GeneratorEntry;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use crate::auth::{self, SignIn};
use crate::spec::{Auth, AwsSpec};

#[cfg(test)]
mod conformance;
mod ecr_authorization_token;
mod signed;
mod sts_session_token;

/// The kinds of this crate.
pub(crate) const TABLE: &[GeneratorEntry] = &[
    GeneratorEntry::of::<ecr_authorization_token::EcrAuthorizationToken>(),
    GeneratorEntry::of::<sts_session_token::StsSessionToken>(),
];

/// How a generator logs in.
#[derive(Deserialize)]
struct Login {
    #[serde(default)]
    region: String,
    #[serde(default)]
    auth: Auth,
    role: Option<String>,
}

impl Login {
    async fn sign_in(&self, ctx: &Ctx) -> Result<(SdkConfig, SignIn)> {
        let spec = AwsSpec {
            region: self.region.clone(),
            auth: Some(self.auth.clone()),
            role: self.role.clone(),
            ..AwsSpec::default()
        };
        let prepared = Box::pin(auth::prepare(&spec, ctx)).await;
        prepared.map_err(|error| error.context("unable to create aws session"))
    }
}
