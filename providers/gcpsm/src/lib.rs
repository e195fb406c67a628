#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod checksum;
mod delete;
mod endpoint;
mod error;
mod find;
mod generator;
mod lifecycle;
mod managed;
mod metadata;
mod push;
mod read;
mod spec;
mod state;
mod store;
mod version;

use lockstep_provider_api::GeneratorEntry;
use lockstep_provider_api::prelude::*;

pub use spec::{
    Auth, AwsCredentials, ConfigMapKey, Federation, GcpsmSpec, KeyRef, SecretName, SelectionPolicy,
    WorkloadIdentity,
};
pub use store::GcpsmStore;

/// Google Secret Manager.
pub struct Gcpsm;

/// Largest payload of a version.
const MAX_PAYLOAD: usize = 65_536;

impl Provider for Gcpsm {
    const NAME: &'static str = "gcpsm";
    const STABILITY: Stability = Stability::Maintained;
    const GENERATORS: &'static [GeneratorEntry] =
        &[GeneratorEntry::of::<generator::GcrAccessToken>()];
    type Spec = GcpsmSpec;
    type Store = GcpsmStore;

    fn validate(spec: &GcpsmSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &GcpsmSpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: true,
            exists: true,
            find_by_name: true,
            find_by_tags: true,
            find_by_path: true,
            versions: true,
            metadata: true,
            max_value_size: Some(MAX_PAYLOAD),
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: GcpsmSpec, ctx: Ctx) -> Result<GcpsmStore> {
        GcpsmStore::connect(spec, ctx).await
    }
}
