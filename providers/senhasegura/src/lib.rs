#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod spec;
mod store;

use lockstep_provider_api::http::{Tls, Verification};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest};

pub use spec::{Auth, SenhaseguraSpec};
pub use store::SenhaseguraStore;

/// The metric's label.
const LABEL: &str = "Senhasegura/DSM";

/// The provider `senhasegura`.
pub struct Senhasegura;

impl Provider for Senhasegura {
    const NAME: &'static str = "senhasegura";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = SenhaseguraSpec;
    type Store = SenhaseguraStore;

    fn validate(spec: &SenhaseguraSpec, _scope: &Scope) -> Result<Warnings> {
        spec.validate()
    }

    fn capabilities(_: &SenhaseguraSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: SenhaseguraSpec, ctx: Ctx) -> Result<SenhaseguraStore> {
        let base = Address::new("spec.provider.senhasegura.url", &spec.server()?)?;
        let verification = if spec.ignore_ssl_certificate {
            Verification::Off
        } else {
            Verification::Full
        };
        let tls = Tls {
            verification,
            ..Tls::default()
        };
        let rest = Rest::new(&ctx, LABEL, base, &tls)?;
        let session = auth::connect(&spec, &rest).await?;
        Ok(SenhaseguraStore::new(api::Api::new(rest.signed(session))))
    }
}
