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

pub use spec::{Auth, SecretserverSpec};
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

    fn capabilities(_: &SecretserverSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: SecretserverSpec, ctx: Ctx) -> Result<SecretserverStore> {
        let base = Address::new("spec.provider.secretserver.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(SecretserverStore::new(api::Api::new(rest)))
    }
}
