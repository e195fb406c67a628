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

pub use spec::{Auth, PreviderSpec, SecretRef};
pub use store::PreviderStore;

/// The vendor's own address.
const DEFAULT_ADDRESS: &str = "https://vault.previder.io";

/// The metric's label.
const LABEL: &str = "Previder/Vault";

/// The provider `previder`.
pub struct Previder;

impl Provider for Previder {
    const NAME: &'static str = "previder";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = PreviderSpec;
    type Store = PreviderStore;

    fn validate(spec: &PreviderSpec, _scope: &Scope) -> Result<Warnings> {
        spec.validate()
    }

    fn capabilities(_: &PreviderSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    /// Asks what the token is for, so that a wrong one shows at the store.
    async fn connect(spec: PreviderSpec, ctx: Ctx) -> Result<PreviderStore> {
        let auth = auth::connect(&spec, &ctx).await?;
        let address = spec.base_uri.as_deref().filter(|uri| !uri.is_empty());
        let address = address.unwrap_or(DEFAULT_ADDRESS);
        let base = Address::new("spec.provider.previder.baseUri", address)?;
        let rest = Rest::new(&ctx, LABEL, base, &Tls::default())?.signed(auth);
        let api = api::Api::new(rest);
        api.check().await?;
        Ok(PreviderStore::new(api))
    }
}
