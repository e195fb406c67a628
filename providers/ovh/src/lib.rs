#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod find;
mod push;
mod refusal;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{Auth, Mtls, OvhSpec, Token};
pub use store::OvhStore;

/// The provider `ovh`.
pub struct Ovh;

impl Provider for Ovh {
    const NAME: &'static str = "ovh";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = OvhSpec;
    type Store = OvhStore;

    fn validate(spec: &OvhSpec, _: &Scope) -> Result<Warnings> {
        spec.validate()
    }

    fn admit(spec: &OvhSpec, _: &Scope) -> Result<Warnings> {
        spec.admit()
    }

    fn capabilities(_: &OvhSpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: true,
            exists: true,
            find_by_name: true,
            find_by_path: true,
            versions: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: OvhSpec, ctx: Ctx) -> Result<OvhStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        Ok(OvhStore::new(api))
    }
}
