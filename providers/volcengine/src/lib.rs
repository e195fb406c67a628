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

pub use spec::{Auth, VolcengineSpec};
pub use store::VolcengineStore;

/// The provider `volcengine`.
pub struct Volcengine;

impl Provider for Volcengine {
    const NAME: &'static str = "volcengine";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = VolcengineSpec;
    type Store = VolcengineStore;

    fn validate(spec: &VolcengineSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &VolcengineSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: VolcengineSpec, ctx: Ctx) -> Result<VolcengineStore> {
        let base = Address::new("spec.provider.volcengine.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(VolcengineStore::new(api::Api::new(rest)))
    }
}
