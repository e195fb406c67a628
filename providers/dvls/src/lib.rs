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

pub use spec::{Auth, DvlsSpec};
pub use store::DvlsStore;

/// The provider `dvls`.
pub struct Dvls;

impl Provider for Dvls {
    const NAME: &'static str = "dvls";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = DvlsSpec;
    type Store = DvlsStore;

    fn validate(spec: &DvlsSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &DvlsSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: DvlsSpec, ctx: Ctx) -> Result<DvlsStore> {
        let base = Address::new("spec.provider.dvls.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(DvlsStore::new(api::Api::new(rest)))
    }
}
