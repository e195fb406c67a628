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

pub use spec::{Auth, YandexlockboxSpec};
pub use store::YandexlockboxStore;

/// The provider `yandexlockbox`.
pub struct Yandexlockbox;

impl Provider for Yandexlockbox {
    const NAME: &'static str = "yandexlockbox";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = YandexlockboxSpec;
    type Store = YandexlockboxStore;

    fn validate(spec: &YandexlockboxSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &YandexlockboxSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: YandexlockboxSpec, ctx: Ctx) -> Result<YandexlockboxStore> {
        let base = Address::new("spec.provider.yandexlockbox.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(YandexlockboxStore::new(api::Api::new(rest)))
    }
}
