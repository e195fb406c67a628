#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod find;
mod push;
mod region;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{Auth, OracleSpec, PrincipalType, SecretRef};
pub use store::OracleStore;

/// The provider `oracle`.
pub struct Oracle;

impl Provider for Oracle {
    const NAME: &'static str = "oracle";
    const STABILITY: Stability = Stability::Maintained;
    const REPEATS: bool = true;
    type Spec = OracleSpec;
    type Store = OracleStore;

    fn validate(spec: &OracleSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn admit(spec: &OracleSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &OracleSpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: true,
            exists: true,
            find_by_name: true,
            find_by_tags: true,
            versions: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: OracleSpec, ctx: Ctx) -> Result<OracleStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        Ok(OracleStore::new(api))
    }
}
