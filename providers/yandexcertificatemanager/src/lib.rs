#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod content;
mod error;
mod messages;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::YandexcertificatemanagerSpec;
pub use store::YandexcertificatemanagerStore;

/// The provider `yandexcertificatemanager`.
pub struct Yandexcertificatemanager;

impl Provider for Yandexcertificatemanager {
    const NAME: &'static str = "yandexcertificatemanager";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = YandexcertificatemanagerSpec;
    type Store = YandexcertificatemanagerStore;

    fn validate(spec: &YandexcertificatemanagerSpec, _scope: &Scope) -> Result<Warnings> {
        spec::named(spec).map(|_| Warnings::new())
    }

    fn capabilities(_: &YandexcertificatemanagerSpec) -> Capabilities {
        Capabilities {
            read: true,
            versions: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(
        spec: YandexcertificatemanagerSpec,
        ctx: Ctx,
    ) -> Result<YandexcertificatemanagerStore> {
        let named = spec::named(&spec)?;
        let channel = auth::connect(&spec, &ctx).await?;
        Ok(YandexcertificatemanagerStore::new(api::Api::new(
            channel, named,
        )))
    }
}
