#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod find;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{ApiKey, Auth, Cert, ConjurSpec, Jwt};
pub use store::ConjurStore;

/// The provider `conjur`.
pub struct Conjur;

impl Provider for Conjur {
    const NAME: &'static str = "conjur";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = ConjurSpec;
    type Store = ConjurStore;

    fn validate(spec: &ConjurSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn admit(spec: &ConjurSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &ConjurSpec) -> Capabilities {
        Capabilities {
            read: true,
            find_by_name: true,
            find_by_tags: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: ConjurSpec, ctx: Ctx) -> Result<ConjurStore> {
        // Upstream looks at address, trust and credentials with the first read: until then the store is valid.
        let api = match api::Api::connect(&spec, &ctx).await {
            Err(error) if error.kind() != &ErrorKind::InvalidSpec => return Err(error),
            api => api,
        };
        Ok(ConjurStore::new(api))
    }
}
