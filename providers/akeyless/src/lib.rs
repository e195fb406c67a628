#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod cloud_id;
mod error;
mod gateway;
mod item;
mod push;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{AkeylessSpec, Auth, KubernetesAuth, SecretRef};
pub use store::AkeylessStore;

/// The provider `akeyless`.
pub struct Akeyless;

impl Provider for Akeyless {
    const NAME: &'static str = "akeyless";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = AkeylessSpec;
    type Store = AkeylessStore;

    /// Nothing: upstream finds faults of a store at the first command.
    fn validate(_: &AkeylessSpec, _: &Scope) -> Result<Warnings> {
        Ok(Warnings::new())
    }

    fn admit(spec: &AkeylessSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &AkeylessSpec) -> Capabilities {
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

    async fn connect(spec: AkeylessSpec, ctx: Ctx) -> Result<AkeylessStore> {
        let api = match gateway::address(&spec) {
            Ok(address) => Ok(api::Api::connect(&spec, address, &ctx).await?),
            Err(error) => Err(error),
        };
        Ok(AkeylessStore::new(api))
    }
}
