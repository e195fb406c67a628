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

pub use spec::{Auth, PassboltSpec};
pub use store::PassboltStore;

/// The provider `passbolt`.
pub struct Passbolt;

impl Provider for Passbolt {
    const NAME: &'static str = "passbolt";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = PassboltSpec;
    type Store = PassboltStore;

    fn validate(spec: &PassboltSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &PassboltSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: PassboltSpec, ctx: Ctx) -> Result<PassboltStore> {
        let base = Address::new("spec.provider.passbolt.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(PassboltStore::new(api::Api::new(rest)))
    }
}
