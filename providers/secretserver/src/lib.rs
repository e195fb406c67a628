#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod attachment;
mod auth;
mod error;
mod key;
mod lookup;
mod push;
mod secret;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{Credential, SecretserverSpec};
pub use store::SecretserverStore;

/// The provider `secretserver`.
pub struct Secretserver;

impl Provider for Secretserver {
    const NAME: &'static str = "secretserver";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = SecretserverSpec;
    type Store = SecretserverStore;

    fn validate(spec: &SecretserverSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn admit(spec: &SecretserverSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &SecretserverSpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: true,
            exists: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: SecretserverSpec, ctx: Ctx) -> Result<SecretserverStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        Ok(SecretserverStore::new(api))
    }
}
