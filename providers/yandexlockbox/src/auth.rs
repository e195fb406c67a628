//! Signing in is the kit's; here is which service of the cloud is meant.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::grpc::Channel;
use lockstep_provider_kit::yandex::{self, Service};

use crate::spec::YandexlockboxSpec;

const SERVICE: Service = Service {
    provider: "Yandex/Lockbox",
    id: "lockbox-payload",
    field: "spec.provider.yandexlockbox.apiEndpoint",
};

/// A channel to Lockbox.
pub(crate) async fn connect(spec: &YandexlockboxSpec, ctx: &Ctx) -> Result<Channel> {
    yandex::connect(spec, SERVICE, ctx).await
}
