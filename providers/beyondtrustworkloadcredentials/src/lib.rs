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

pub use spec::{Auth, BeyondtrustworkloadcredentialsSpec};
pub use store::BeyondtrustworkloadcredentialsStore;

/// The provider `beyondtrustworkloadcredentials`.
pub struct Beyondtrustworkloadcredentials;

impl Provider for Beyondtrustworkloadcredentials {
    const NAME: &'static str = "beyondtrustworkloadcredentials";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = BeyondtrustworkloadcredentialsSpec;
    type Store = BeyondtrustworkloadcredentialsStore;

    fn validate(spec: &BeyondtrustworkloadcredentialsSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &BeyondtrustworkloadcredentialsSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(
        spec: BeyondtrustworkloadcredentialsSpec,
        ctx: Ctx,
    ) -> Result<BeyondtrustworkloadcredentialsStore> {
        let base = Address::new(
            "spec.provider.beyondtrustworkloadcredentials.url",
            &spec.url,
        )?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(BeyondtrustworkloadcredentialsStore::new(api::Api::new(
            rest,
        )))
    }
}
