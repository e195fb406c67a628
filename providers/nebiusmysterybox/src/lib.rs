#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod domain;
mod error;
mod messages;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{Auth, CaSecret, NebiusmysteryboxSpec};
pub use store::NebiusmysteryboxStore;

/// The provider `nebiusmysterybox`.
pub struct Nebiusmysterybox;

impl Provider for Nebiusmysterybox {
    const NAME: &'static str = "nebiusmysterybox";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = NebiusmysteryboxSpec;
    type Store = NebiusmysteryboxStore;

    /// A store is used as it is: the original has its checks in the webhook alone.
    fn validate(_: &NebiusmysteryboxSpec, _: &Scope) -> Result<Warnings> {
        Ok(Warnings::new())
    }

    fn admit(spec: &NebiusmysteryboxSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &NebiusmysteryboxSpec) -> Capabilities {
        Capabilities {
            read: true,
            versions: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: NebiusmysteryboxSpec, ctx: Ctx) -> Result<NebiusmysteryboxStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        Ok(NebiusmysteryboxStore::new(api))
    }
}
