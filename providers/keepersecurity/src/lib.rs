#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod crypto;
mod error;
mod field;
mod file;
mod keys;
mod place;
mod push;
mod record;
mod spec;
mod store;
mod vault;
mod with_keys;

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest};

use crate::api::Api;
use crate::auth::Config;

pub use keys::{PinnedKeys, ServerKeys};
pub use spec::KeepersecuritySpec;
pub use store::KeepersecurityStore;
pub use with_keys::WithKeys;

/// The metric's label.
const LABEL: &str = "KeeperSecurity";

/// The provider `keepersecurity`.
pub struct Keepersecurity;

impl Provider for Keepersecurity {
    const NAME: &'static str = "keepersecurity";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = KeepersecuritySpec;
    type Store = KeepersecurityStore;

    /// Nothing: reads need neither of what admission asks for.
    fn validate(_: &KeepersecuritySpec, _: &Scope) -> Result<Warnings> {
        Ok(Warnings::new())
    }

    fn admit(spec: &KeepersecuritySpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &KeepersecuritySpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: true,
            find_by_name: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: KeepersecuritySpec, ctx: Ctx) -> Result<KeepersecurityStore> {
        connect::<PinnedKeys>(spec, ctx).await
    }
}

/// A connection to servers with these keys.
async fn connect<K: ServerKeys>(spec: KeepersecuritySpec, ctx: Ctx) -> Result<KeepersecurityStore> {
    let text = ctx
        .secret(&spec.auth_ref)
        .await
        .map_err(|error| error.context("unable to create valid KeeperSecurity config"))?;
    let config = Config::parse(&text)?;
    let base = format!("https://{}", config.host);
    let base = Address::new("hostname in the configuration", &base)?;
    let rest = Rest::new(&ctx, LABEL, base, &Tls::default())?;
    let api = Api::new(rest, config, K::key);
    let by_title = spec.get_by_title_fallback.unwrap_or_default();
    Ok(KeepersecurityStore::new(api, spec.folder_id, by_title))
}
