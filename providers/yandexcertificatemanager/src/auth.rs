//! Signing in is the kit's; here is which service of the cloud is meant.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::grpc::Channel;
use lockstep_provider_kit::yandex::{self, Service};

use crate::spec::YandexcertificatemanagerSpec;

const SERVICE: Service = Service {
    provider: "Yandex/CertificateManager",
    id: "certificate-manager-data",
    field: "spec.provider.yandexcertificatemanager.apiEndpoint",
};

/// A channel to Certificate Manager.
pub(crate) async fn connect(spec: &YandexcertificatemanagerSpec, ctx: &Ctx) -> Result<Channel> {
    yandex::connect(spec, SERVICE, ctx).await
}
