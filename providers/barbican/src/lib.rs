#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod catalog;
mod error;
mod keystone;
mod spec;
mod store;
mod versions;

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest};

pub use spec::{Auth, BarbicanSpec, Password};
pub use store::BarbicanStore;

/// The metric's label.
const LABEL: &str = "OpenStack/Barbican";

/// The provider `barbican`.
pub struct Barbican;

impl Provider for Barbican {
    const NAME: &'static str = "barbican";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = BarbicanSpec;
    type Store = BarbicanStore;

    /// Upstream finds everything when it connects.
    fn validate(_: &BarbicanSpec, _: &Scope) -> Result<Warnings> {
        Ok(Warnings::new())
    }

    fn admit(spec: &BarbicanSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &BarbicanSpec) -> Capabilities {
        Capabilities {
            read: true,
            find_by_name: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: BarbicanSpec, ctx: Ctx) -> Result<BarbicanStore> {
        let base = Address::new("spec.provider.barbican.authURL", spec.address()?)?;
        let rest = Rest::new(&ctx, LABEL, base, &Tls::default())?;
        let auth = auth::Keystone::new(&spec, &ctx, rest.clone()).await?;
        let rest = auth.key_manager(rest).await?;
        Ok(BarbicanStore::new(api::Api::new(rest)))
    }
}
