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

pub use spec::{AkeylessSpec, Auth};
pub use store::AkeylessStore;

/// The provider `akeyless`.
pub struct Akeyless;

impl Provider for Akeyless {
    const NAME: &'static str = "akeyless";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = AkeylessSpec;
    type Store = AkeylessStore;

    fn validate(spec: &AkeylessSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &AkeylessSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: AkeylessSpec, ctx: Ctx) -> Result<AkeylessStore> {
        let base = Address::new("spec.provider.akeyless.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(AkeylessStore::new(api::Api::new(rest)))
    }
}
