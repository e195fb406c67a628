#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod push;
mod spec;
mod store;
mod vault;

use lockstep_provider_api::prelude::*;

pub use spec::{ApiKey, Auth, NgrokSpec, Vault};
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

    fn admit(spec: &NgrokSpec, _: &Scope) -> Result<Warnings> {
        spec.admit()
    }

    fn capabilities(_: &NgrokSpec) -> Capabilities {
        Capabilities {
            write: true,
            delete: true,
            exists: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: NgrokSpec, ctx: Ctx) -> Result<NgrokStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        let vault = vault::Known::look_up(&api, &spec.vault.name).await?;
        Ok(NgrokStore::new(api, vault))
    }
}
