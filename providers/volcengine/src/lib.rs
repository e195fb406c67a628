#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod spec;
mod store;

use lockstep_provider_api::capability::Access;
use lockstep_provider_api::prelude::*;

pub use spec::{Auth, SecretRef, VolcengineSpec};
pub use store::VolcengineStore;

/// The provider `volcengine`.
pub struct Volcengine;

impl Provider for Volcengine {
    const NAME: &'static str = "volcengine";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = VolcengineSpec;
    type Store = VolcengineStore;

    fn validate(spec: &VolcengineSpec, _: &Scope) -> Result<Warnings> {
        spec.validate()
    }

    fn admit(spec: &VolcengineSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &VolcengineSpec) -> Capabilities {
        Capabilities {
            read: true,
            exists: true,
            versions: true,
            published: Some(Access::ReadOnly),
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: VolcengineSpec, ctx: Ctx) -> Result<VolcengineStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        Ok(VolcengineStore::new(api))
    }
}
