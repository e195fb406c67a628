#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod fields;
mod key;
mod kind;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{Auth, ContainerAuth, IbmSpec, SecretRef};
pub use store::IbmStore;

/// The provider `ibm`.
pub struct Ibm;

impl Provider for Ibm {
    const NAME: &'static str = "ibm";
    const STABILITY: Stability = Stability::Maintained;
    const REPEATS: bool = true;
    type Spec = IbmSpec;
    type Store = IbmStore;

    fn validate(spec: &IbmSpec, _: &Scope) -> Result<Warnings> {
        spec.validate()
    }

    fn admit(spec: &IbmSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &IbmSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: IbmSpec, ctx: Ctx) -> Result<IbmStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        Ok(IbmStore::new(api))
    }
}
