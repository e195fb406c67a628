//! `spec.provider.yandexcertificatemanager`: the settings that all services of Yandex Cloud have.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::yandex::{Named, YandexSpec};

/// Certificates of Yandex Certificate Manager.
pub type YandexcertificatemanagerSpec = YandexSpec;

/// What keys name, or why the store is refused.
pub(crate) fn named(spec: &YandexcertificatemanagerSpec) -> Result<Named> {
    spec.named("Yandex Certificate Manager")
}
