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

#[cfg(test)]
mod tests {
    use lockstep_provider_api::GeneratorEntry;
    use lockstep_provider_api::conformance::generator::{Exchange, assert_conforms};
    use lockstep_provider_api::conformance::{CANARY, response};
    use serde_json::json;

    use super::WebhookGenerator;

    #[test]
    fn the_generator_keeps_the_contract() {
        let spec = json!({ "url": "https://hook.test/make", "result": { "jsonPath": "$.made" } });
        let subject = Exchange::new(
            GeneratorEntry::of::<WebhookGenerator>(),
            spec,
            |_, number| {
                let made = json!({ "made": { "password": format!("{CANARY}{number}") } });
                response(200, made.to_string())
            },
        );

        assert_conforms(&subject);
    }
}
