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

pub use spec::{Auth, OracleSpec};
pub use store::OracleStore;

/// The provider `oracle`.
pub struct Oracle;

impl Provider for Oracle {
    const NAME: &'static str = "oracle";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = OracleSpec;
    type Store = OracleStore;

    fn validate(spec: &OracleSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &OracleSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: OracleSpec, ctx: Ctx) -> Result<OracleStore> {
        let base = Address::new("spec.provider.oracle.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(OracleStore::new(api::Api::new(rest)))
    }
}
