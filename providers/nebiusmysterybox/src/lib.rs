#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod spec;
mod store;

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest};

pub use spec::{Auth, NebiusmysteryboxSpec};
pub use store::NebiusmysteryboxStore;

/// The provider `nebiusmysterybox`.
pub struct Nebiusmysterybox;

impl Provider for Nebiusmysterybox {
    const NAME: &'static str = "nebiusmysterybox";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = NebiusmysteryboxSpec;
    type Store = NebiusmysteryboxStore;

    fn validate(spec: &NebiusmysteryboxSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &NebiusmysteryboxSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: NebiusmysteryboxSpec, ctx: Ctx) -> Result<NebiusmysteryboxStore> {
        let base = Address::new("spec.provider.nebiusmysterybox.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(NebiusmysteryboxStore::new(api::Api::new(rest)))
    }
}
