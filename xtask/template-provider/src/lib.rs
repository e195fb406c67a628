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

pub use spec::{AcmeSpec, Auth};
pub use store::AcmeStore;

/// The provider `acme`.
pub struct Acme;

impl Provider for Acme {
    const NAME: &'static str = "acme";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = AcmeSpec;
    type Store = AcmeStore;

    fn validate(spec: &AcmeSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &AcmeSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: AcmeSpec, ctx: Ctx) -> Result<AcmeStore> {
        let base = Address::new("spec.provider.acme.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(AcmeStore::new(api::Api::new(rest)))
    }
}
