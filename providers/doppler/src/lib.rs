#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod spec;
mod store;

use lockstep_provider_api::Access;
use lockstep_provider_api::prelude::*;

pub use spec::{Auth, DopplerSpec, OidcConfig, SecretRef};
pub use store::DopplerStore;

/// The provider `doppler`.
pub struct Doppler;

impl Provider for Doppler {
    const NAME: &'static str = "doppler";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = DopplerSpec;
    type Store = DopplerStore;

    fn validate(spec: &DopplerSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &DopplerSpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: true,
            find_by_name: true,
            find_by_path: true,
            published: Some(Access::ReadOnly),
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: DopplerSpec, ctx: Ctx) -> Result<DopplerStore> {
        let api = api::Api::connect(spec, &ctx).await?;
        Ok(DopplerStore::new(api))
    }
}
