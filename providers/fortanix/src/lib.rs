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

pub use spec::{Auth, FortanixSpec};
pub use store::FortanixStore;

/// The provider `fortanix`.
pub struct Fortanix;

impl Provider for Fortanix {
    const NAME: &'static str = "fortanix";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = FortanixSpec;
    type Store = FortanixStore;

    fn validate(spec: &FortanixSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &FortanixSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: FortanixSpec, ctx: Ctx) -> Result<FortanixStore> {
        let base = Address::new("spec.provider.fortanix.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(FortanixStore::new(api::Api::new(rest)))
    }
}
