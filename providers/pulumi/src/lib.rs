#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod push;
mod spec;
mod store;

use lockstep_provider_api::Access;
use lockstep_provider_api::prelude::*;

pub use spec::{AccessToken, Auth, OidcConfig, PulumiSpec};
pub use store::PulumiStore;

/// The provider `pulumi`.
pub struct Pulumi;

impl Provider for Pulumi {
    const NAME: &'static str = "pulumi";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = PulumiSpec;
    type Store = PulumiStore;

    fn validate(spec: &PulumiSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn admit(spec: &PulumiSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &PulumiSpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            published: Some(Access::ReadOnly),
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: PulumiSpec, ctx: Ctx) -> Result<PulumiStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        Ok(PulumiStore::new(api))
    }
}
