#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod challenge;
mod cloud;
mod error;
mod find;
mod generator;
mod lifecycle;
mod managed;
mod metadata;
mod object;
mod push;
mod read;
mod spec;
mod state;
mod store;

use lockstep_provider_api::GeneratorEntry;
use lockstep_provider_api::prelude::*;

pub use spec::{AuthType, AzureSpec, Credentials, CustomCloud, Environment};
pub use store::AzureStore;

/// Largest value that Key Vault takes for a secret.
const MAX_VALUE: usize = 25 * 1024;

/// Azure Key Vault.
pub struct Azurekv;

impl Provider for Azurekv {
    const NAME: &'static str = "azurekv";
    const STABILITY: Stability = Stability::Maintained;
    const GENERATORS: &'static [GeneratorEntry] =
        &[GeneratorEntry::of::<generator::AcrAccessToken>()];
    type Spec = AzureSpec;
    type Store = AzureStore;

    fn validate(spec: &AzureSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &AzureSpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: true,
            exists: true,
            find_by_name: true,
            find_by_tags: true,
            // Taken, and not looked at.
            find_by_path: true,
            versions: true,
            metadata: true,
            max_value_size: Some(MAX_VALUE),
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: AzureSpec, ctx: Ctx) -> Result<AzureStore> {
        AzureStore::connect(spec, ctx).await
    }
}
