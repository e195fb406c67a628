#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod seal;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{Auth, GithubSpec, Visibility};
pub use store::GithubStore;

/// The provider `github`.
pub struct Github;

impl Provider for Github {
    const NAME: &'static str = "github";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = GithubSpec;
    type Store = GithubStore;

    /// Nothing, as at upstream.
    fn validate(_: &GithubSpec, _: &Scope) -> Result<Warnings> {
        Ok(Warnings::new())
    }

    fn capabilities(_: &GithubSpec) -> Capabilities {
        Capabilities {
            write: true,
            delete: true,
            exists: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: GithubSpec, ctx: Ctx) -> Result<GithubStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        Ok(GithubStore::new(api, &spec, &ctx))
    }
}
