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

pub use spec::{Auth, KeepersecuritySpec};
pub use store::KeepersecurityStore;

/// The provider `keepersecurity`.
pub struct Keepersecurity;

impl Provider for Keepersecurity {
    const NAME: &'static str = "keepersecurity";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = KeepersecuritySpec;
    type Store = KeepersecurityStore;

    fn validate(spec: &KeepersecuritySpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &KeepersecuritySpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: KeepersecuritySpec, ctx: Ctx) -> Result<KeepersecurityStore> {
        let base = Address::new("spec.provider.keepersecurity.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(KeepersecurityStore::new(api::Api::new(rest)))
    }
}
