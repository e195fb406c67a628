#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{Auth, PassworddepotSpec, SecretRef};
pub use store::PassworddepotStore;

/// The provider `passworddepot`.
pub struct Passworddepot;

impl Provider for Passworddepot {
    const NAME: &'static str = "passworddepot";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = PassworddepotSpec;
    type Store = PassworddepotStore;

    /// Nothing, as at upstream.
    fn validate(_: &PassworddepotSpec, _: &Scope) -> Result<Warnings> {
        Ok(Warnings::new())
    }

    fn capabilities(_: &PassworddepotSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: PassworddepotSpec, ctx: Ctx) -> Result<PassworddepotStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        Ok(PassworddepotStore::new(api))
    }
}
