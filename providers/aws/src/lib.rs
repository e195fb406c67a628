#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod arn;
mod auth;
mod call;
mod certificatemanager;
mod endpoint;
mod error;
mod generators;
mod lifecycle;
mod managed;
mod parameterstore;
mod read;
mod sdk;
mod secretsmanager;
mod spec;
mod store;
mod wire;

use lockstep_provider_api::GeneratorEntry;
use lockstep_provider_api::prelude::*;

pub use spec::{Auth, AwsSpec, Jwt, SecretsManagerSettings, SessionTag, StaticKeys, TagsPolicy};
pub use store::AwsStore;

use spec::Service;

/// AWS Secrets Manager, Parameter Store and Certificate Manager.
pub struct Aws;

impl Provider for Aws {
    const NAME: &'static str = "aws";
    const STABILITY: Stability = Stability::Maintained;
    const REPEATS: bool = true;
    const GENERATORS: &'static [GeneratorEntry] = generators::TABLE;
    type Spec = AwsSpec;
    type Store = AwsStore;

    fn validate(spec: &AwsSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(spec: &AwsSpec) -> Capabilities {
        match spec.service() {
            Ok(Service::SecretsManager) => secretsmanager::CAPABILITIES,
            Ok(Service::ParameterStore) => parameterstore::CAPABILITIES,
            Ok(Service::CertificateManager) => certificatemanager::CAPABILITIES,
            Err(_) => Capabilities::NONE,
        }
    }

    async fn connect(spec: AwsSpec, ctx: Ctx) -> Result<AwsStore> {
        AwsStore::connect(spec, ctx).await
    }
}
