//! `spec.provider.yandexlockbox`: the settings that all services of Yandex Cloud have.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::yandex::{Named, YandexSpec};

/// Secrets of Yandex Lockbox.
pub type YandexlockboxSpec = YandexSpec;

/// What keys name, or why the store is refused.
pub(crate) fn named(spec: &YandexlockboxSpec) -> Result<Named> {
    spec.named("Yandex Lockbox")
}
