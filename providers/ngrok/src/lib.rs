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

pub use spec::{Auth, NgrokSpec};
pub use store::NgrokStore;

/// The provider `ngrok`.
pub struct Ngrok;

impl Provider for Ngrok {
    const NAME: &'static str = "ngrok";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = NgrokSpec;
    type Store = NgrokStore;

    fn validate(spec: &NgrokSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &NgrokSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: NgrokSpec, ctx: Ctx) -> Result<NgrokStore> {
        let base = Address::new("spec.provider.ngrok.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(NgrokStore::new(api::Api::new(rest)))
    }
}
