//! `Webhook` as a generator: one call of the endpoint, whose answer is taken as a map of values.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::{Generated, Generator, Random};

use crate::spec::WebhookSpec;
use crate::store::WebhookStore;

pub(crate) struct WebhookGenerator;

impl Generator for WebhookGenerator {
    const KIND: &'static str = "Webhook";
    type Spec = WebhookSpec;

    async fn generate(spec: WebhookSpec, ctx: &Ctx, _: &mut dyn Random) -> Result<Generated> {
        let store = WebhookStore::connect(spec, ctx.clone()).await?;
        store
            .get_map(&RemoteRef::default())
            .await
            .map(Generated::from)
    }
}
