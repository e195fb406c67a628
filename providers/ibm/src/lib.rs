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

pub use spec::{Auth, IbmSpec};
pub use store::IbmStore;

/// The provider `ibm`.
pub struct Ibm;

impl Provider for Ibm {
    const NAME: &'static str = "ibm";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = IbmSpec;
    type Store = IbmStore;

    fn validate(spec: &IbmSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &IbmSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: IbmSpec, ctx: Ctx) -> Result<IbmStore> {
        let base = Address::new("spec.provider.ibm.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(IbmStore::new(api::Api::new(rest)))
    }
}
