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

pub use spec::{Auth, PreviderSpec};
pub use store::PreviderStore;

/// The provider `previder`.
pub struct Previder;

impl Provider for Previder {
    const NAME: &'static str = "previder";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = PreviderSpec;
    type Store = PreviderStore;

    fn validate(spec: &PreviderSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &PreviderSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: PreviderSpec, ctx: Ctx) -> Result<PreviderStore> {
        let base = Address::new("spec.provider.previder.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(PreviderStore::new(api::Api::new(rest)))
    }
}
