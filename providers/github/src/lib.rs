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

pub use spec::{Auth, GithubSpec};
pub use store::GithubStore;

/// The provider `github`.
pub struct Github;

impl Provider for Github {
    const NAME: &'static str = "github";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = GithubSpec;
    type Store = GithubStore;

    fn validate(spec: &GithubSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &GithubSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: GithubSpec, ctx: Ctx) -> Result<GithubStore> {
        let base = Address::new("spec.provider.github.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(GithubStore::new(api::Api::new(rest)))
    }
}
