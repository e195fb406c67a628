#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod address;
mod api;
mod auth;
mod error;
mod push;
mod secret;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{Auth, InfisicalSpec, SecretsScope};
pub use store::InfisicalStore;

/// The provider `infisical`.
pub struct Infisical;

impl Provider for Infisical {
    const NAME: &'static str = "infisical";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = InfisicalSpec;
    type Store = InfisicalStore;

    fn validate(spec: &InfisicalSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn admit(spec: &InfisicalSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &InfisicalSpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: true,
            exists: true,
            find_by_name: true,
            find_by_path: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: InfisicalSpec, ctx: Ctx) -> Result<InfisicalStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        Ok(InfisicalStore::new(api))
    }
}
