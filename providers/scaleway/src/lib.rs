#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod key;
mod push;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::ScalewaySpec;
pub use store::ScalewayStore;

/// The provider `scaleway`.
pub struct Scaleway;

impl Provider for Scaleway {
    const NAME: &'static str = "scaleway";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = ScalewaySpec;
    type Store = ScalewayStore;

    fn validate(spec: &ScalewaySpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &ScalewaySpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: true,
            find_by_name: true,
            find_by_tags: true,
            find_by_path: true,
            versions: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: ScalewaySpec, ctx: Ctx) -> Result<ScalewayStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        Ok(ScalewayStore::new(api))
    }
}
