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

pub use spec::{Auth, PassworddepotSpec};
pub use store::PassworddepotStore;

/// The provider `passworddepot`.
pub struct Passworddepot;

impl Provider for Passworddepot {
    const NAME: &'static str = "passworddepot";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = PassworddepotSpec;
    type Store = PassworddepotStore;

    fn validate(spec: &PassworddepotSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &PassworddepotSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: PassworddepotSpec, ctx: Ctx) -> Result<PassworddepotStore> {
        let base = Address::new("spec.provider.passworddepot.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(PassworddepotStore::new(api::Api::new(rest)))
    }
}
