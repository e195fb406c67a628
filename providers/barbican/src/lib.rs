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

pub use spec::{Auth, BarbicanSpec};
pub use store::BarbicanStore;

/// The provider `barbican`.
pub struct Barbican;

impl Provider for Barbican {
    const NAME: &'static str = "barbican";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = BarbicanSpec;
    type Store = BarbicanStore;

    fn validate(spec: &BarbicanSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &BarbicanSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: BarbicanSpec, ctx: Ctx) -> Result<BarbicanStore> {
        let base = Address::new("spec.provider.barbican.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(BarbicanStore::new(api::Api::new(rest)))
    }
}
