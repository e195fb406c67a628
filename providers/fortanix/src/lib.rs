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

pub use spec::{ApiKey, FortanixSpec};
pub use store::FortanixStore;

/// The metric's label.
const LABEL: &str = "Fortanix";
const DEFAULT_URL: &str = "https://sdkms.fortanix.com";

/// The provider `fortanix`.
pub struct Fortanix;

impl Provider for Fortanix {
    const NAME: &'static str = "fortanix";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = FortanixSpec;
    type Store = FortanixStore;

    fn validate(spec: &FortanixSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &FortanixSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: FortanixSpec, ctx: Ctx) -> Result<FortanixStore> {
        let Some(auth) = auth::authenticator(&spec, &ctx).await? else {
            return Ok(FortanixStore::new(None));
        };
        let url = spec.api_url.as_deref().filter(|url| !url.is_empty());
        let base = Address::new("spec.provider.fortanix.apiUrl", url.unwrap_or(DEFAULT_URL))?;
        let rest = Rest::new(&ctx, LABEL, base, &Tls::default())?;
        let api = api::Api::new(rest.signed(auth));
        Ok(FortanixStore::new(Some(api)))
    }
}
