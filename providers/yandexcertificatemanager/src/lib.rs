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

pub use spec::{Auth, YandexcertificatemanagerSpec};
pub use store::YandexcertificatemanagerStore;

/// The provider `yandexcertificatemanager`.
pub struct Yandexcertificatemanager;

impl Provider for Yandexcertificatemanager {
    const NAME: &'static str = "yandexcertificatemanager";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = YandexcertificatemanagerSpec;
    type Store = YandexcertificatemanagerStore;

    fn validate(spec: &YandexcertificatemanagerSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &YandexcertificatemanagerSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(
        spec: YandexcertificatemanagerSpec,
        ctx: Ctx,
    ) -> Result<YandexcertificatemanagerStore> {
        let base = Address::new("spec.provider.yandexcertificatemanager.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(YandexcertificatemanagerStore::new(api::Api::new(rest)))
    }
}
