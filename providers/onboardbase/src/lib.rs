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

pub use spec::{Auth, OnboardbaseSpec};
pub use store::OnboardbaseStore;

/// The provider `onboardbase`.
pub struct Onboardbase;

impl Provider for Onboardbase {
    const NAME: &'static str = "onboardbase";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = OnboardbaseSpec;
    type Store = OnboardbaseStore;

    fn validate(spec: &OnboardbaseSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &OnboardbaseSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: OnboardbaseSpec, ctx: Ctx) -> Result<OnboardbaseStore> {
        let base = Address::new("spec.provider.onboardbase.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(OnboardbaseStore::new(api::Api::new(rest)))
    }
}
