#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod client;
mod entry;
mod error;
mod key;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{Application, Auth, DvlsSpec};
pub use store::DvlsStore;

/// The provider `dvls`.
pub struct Dvls;

impl Provider for Dvls {
    const NAME: &'static str = "dvls";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = DvlsSpec;
    type Store = DvlsStore;

    fn validate(spec: &DvlsSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &DvlsSpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: true,
            exists: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: DvlsSpec, ctx: Ctx) -> Result<DvlsStore> {
        let api = api::Api::connect(&spec, &ctx).await;
        let api = api.map_err(|error| error.context("failed to create DVLS client"))?;
        Ok(DvlsStore::new(api))
    }
}
