#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod lookup;
mod push;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{Auth, BitwardenSpec, SecretRef};
pub use store::BitwardenStore;

/// The provider `bitwardensecretsmanager`.
pub struct Bitwarden;

impl Provider for Bitwarden {
    const NAME: &'static str = "bitwardensecretsmanager";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = BitwardenSpec;
    type Store = BitwardenStore;

    /// What a connection needs is seen when it is made.
    fn validate(_: &BitwardenSpec, _: &Scope) -> Result<Warnings> {
        Ok(Warnings::new())
    }

    fn admit(spec: &BitwardenSpec, _: &Scope) -> Result<Warnings> {
        spec.admit()
    }

    fn capabilities(_: &BitwardenSpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: true,
            exists: true,
            find_by_name: true,
            find_by_tags: true,
            find_by_path: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: BitwardenSpec, ctx: Ctx) -> Result<BitwardenStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        Ok(BitwardenStore::new(api))
    }
}
