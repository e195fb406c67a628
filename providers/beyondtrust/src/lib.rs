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

pub use spec::{Auth, BeyondtrustSpec};
pub use store::BeyondtrustStore;

/// The provider `beyondtrust`.
pub struct Beyondtrust;

impl Provider for Beyondtrust {
    const NAME: &'static str = "beyondtrust";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = BeyondtrustSpec;
    type Store = BeyondtrustStore;

    fn validate(spec: &BeyondtrustSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &BeyondtrustSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: BeyondtrustSpec, ctx: Ctx) -> Result<BeyondtrustStore> {
        let base = Address::new("spec.provider.beyondtrust.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(BeyondtrustStore::new(api::Api::new(rest)))
    }
}
