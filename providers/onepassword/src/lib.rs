#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod item;
mod lookup;
mod push;
mod read;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

use api::Connect;
use lookup::Vaults;
pub use spec::OnepasswordSpec;
pub use store::OnepasswordStore;

/// 1Password through a Connect server.
pub struct Onepassword;

impl Provider for Onepassword {
    const NAME: &'static str = "onepassword";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = OnepasswordSpec;
    type Store = OnepasswordStore;

    fn validate(spec: &OnepasswordSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)?;
        Ok(Warnings::new())
    }

    fn capabilities(_: &OnepasswordSpec) -> Capabilities {
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

    async fn connect(spec: OnepasswordSpec, ctx: Ctx) -> Result<OnepasswordStore> {
        let token = auth::token(&spec, &ctx).await?;
        let connect = Connect::new(&spec.connect_host, token, ctx)?;
        Ok(OnepasswordStore::new(Vaults::new(connect, spec.vaults)))
    }
}
