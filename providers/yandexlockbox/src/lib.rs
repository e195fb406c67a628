#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod entries;
mod error;
mod messages;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::YandexlockboxSpec;
pub use store::YandexlockboxStore;

/// The provider `yandexlockbox`.
pub struct Yandexlockbox;

impl Provider for Yandexlockbox {
    const NAME: &'static str = "yandexlockbox";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = YandexlockboxSpec;
    type Store = YandexlockboxStore;

    fn validate(spec: &YandexlockboxSpec, _scope: &Scope) -> Result<Warnings> {
        spec::named(spec).map(|_| Warnings::new())
    }

    fn capabilities(_: &YandexlockboxSpec) -> Capabilities {
        Capabilities {
            read: true,
            versions: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: YandexlockboxSpec, ctx: Ctx) -> Result<YandexlockboxStore> {
        let named = spec::named(&spec)?;
        let channel = auth::connect(&spec, &ctx).await?;
        Ok(YandexlockboxStore::new(api::Api::new(channel, named)))
    }
}
