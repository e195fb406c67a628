#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod connection;
mod delete;
mod error;
mod find;
mod generator;
mod lifecycle;
mod managed;
mod path;
mod push;
mod read;
mod server;
mod spec;
mod state;
mod store;
mod version;

use lockstep_provider_api::GeneratorEntry;
use lockstep_provider_api::prelude::*;

pub use spec::VaultSpec;
pub use store::VaultStore;

/// What the provider of OpenBao and generators of dynamic secrets are made of: a server, an identity,
/// a connection of both, and the KV engine behind it.
pub mod client {
    pub use crate::api::{Kv, Members, Secret, State, member, text};
    pub use crate::auth::{Identity, Login, Proof, TokenSource, identity};
    pub use crate::connection::Connection;
    pub use crate::error::Failure;
    pub use crate::path::Mount;
    pub use crate::read::{literal, members, no_member, whole};
    pub use crate::server::{Address, Ask, Consistency, Server};
    pub use crate::spec::{
        AppRole, Auth, Cert, CheckAndSet, ClientTls, Gcp, GcpKey, GcpWorkloadIdentity, Iam, IamJwt,
        IamKeys, Jwt, Kubernetes, Ldap, ServiceAccountToken, UserPass, Version,
    };
}

/// HashiCorp Vault.
pub struct Vault;

impl Provider for Vault {
    const NAME: &'static str = "vault";
    const STABILITY: Stability = Stability::Maintained;
    const REPEATS: bool = true;
    const GENERATORS: &'static [GeneratorEntry] =
        &[GeneratorEntry::of::<generator::VaultDynamicSecret>()];
    type Spec = VaultSpec;
    type Store = VaultStore;

    fn validate(spec: &VaultSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(spec: &VaultSpec) -> Capabilities {
        let versions = spec.version == spec::Version::V2;
        Capabilities {
            read: true,
            write: true,
            delete: true,
            exists: true,
            find_by_name: true,
            find_by_tags: versions,
            find_by_path: true,
            versions,
            metadata: versions,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: VaultSpec, ctx: Ctx) -> Result<VaultStore> {
        VaultStore::connect(spec, ctx).await
    }
}
