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

pub use spec::{Auth, SenhaseguraSpec};
pub use store::SenhaseguraStore;

/// The provider `senhasegura`.
pub struct Senhasegura;

impl Provider for Senhasegura {
    const NAME: &'static str = "senhasegura";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = SenhaseguraSpec;
    type Store = SenhaseguraStore;

    fn validate(spec: &SenhaseguraSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &SenhaseguraSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: SenhaseguraSpec, ctx: Ctx) -> Result<SenhaseguraStore> {
        let base = Address::new("spec.provider.senhasegura.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(SenhaseguraStore::new(api::Api::new(rest)))
    }
}
