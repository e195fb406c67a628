#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod find;
mod lookup;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{Auth, GitlabSpec, SecretRef};
pub use store::GitlabStore;

/// The provider `gitlab`.
pub struct Gitlab;

impl Provider for Gitlab {
    const NAME: &'static str = "gitlab";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = GitlabSpec;
    type Store = GitlabStore;

    fn validate(spec: &GitlabSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn admit(spec: &GitlabSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &GitlabSpec) -> Capabilities {
        Capabilities {
            read: true,
            // Tags narrow a search by name; alone they are refused.
            find_by_name: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: GitlabSpec, ctx: Ctx) -> Result<GitlabStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        Ok(GitlabStore::new(api, spec))
    }
}
