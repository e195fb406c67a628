#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod error;
mod spec;
mod store;

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest, Scheme, StaticHeader};

pub use spec::{ApiKey, FortanixSpec};
pub use store::FortanixStore;

/// The metric's label.
const LABEL: &str = "Fortanix";
const DEFAULT_URL: &str = "https://sdkms.fortanix.com";
/// The API key is sent as it is.
const SCHEME: Scheme = Scheme::authorization("Basic ", "");

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
        let selector = spec.key()?;
        // Whose key it is shows when somebody uses the store.
        if ctx.is_referent(selector.namespace.as_deref()) && ctx.scope().home().is_none() {
            return Ok(FortanixStore::new(None));
        }
        let key = ctx.secret(selector).await;
        let key = key.map_err(|error| error.context("cannot resolve secret key ref"))?;
        let url = spec.api_url.as_deref().filter(|url| !url.is_empty());
        let base = Address::new("spec.provider.fortanix.apiUrl", url.unwrap_or(DEFAULT_URL))?;
        let rest = Rest::new(&ctx, LABEL, base, &Tls::default())?;
        let rest = rest.signed(StaticHeader::new(SCHEME, key));
        Ok(FortanixStore::new(Some(api::Api::new(rest))))
    }
}
