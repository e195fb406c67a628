#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod address;
mod api;
mod auth;
mod error;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::DelineaSpec;
pub use store::DelineaStore;

/// The provider `delinea`.
pub struct Delinea;

impl Provider for Delinea {
    const NAME: &'static str = "delinea";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = DelineaSpec;
    type Store = DelineaStore;

    fn validate(spec: &DelineaSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn admit(spec: &DelineaSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &DelineaSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: DelineaSpec, ctx: Ctx) -> Result<DelineaStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        Ok(DelineaStore::new(api))
    }
}
