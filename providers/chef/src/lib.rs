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

pub use spec::{Auth, ChefSpec};
pub use store::ChefStore;

/// The provider `chef`.
pub struct Chef;

impl Provider for Chef {
    const NAME: &'static str = "chef";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = ChefSpec;
    type Store = ChefStore;

    fn validate(spec: &ChefSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &ChefSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: ChefSpec, ctx: Ctx) -> Result<ChefStore> {
        let base = Address::new("spec.provider.chef.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(ChefStore::new(api::Api::new(rest)))
    }
}
