//! The generator that asks a server: the webhook provider with the generator's spec, connected for
//! this one answer. Each run wants new values, so nothing is cached and nothing is shared.

use std::sync::Arc;

use futures_util::future::{Either, select};
use lockstep_provider_api::{Ctx, Error, RemoteRef, Result, Scope, SecretMap, Services, StoreName};
use serde_json::Value;

use crate::connections::CALL_DEADLINE;

const PROVIDER: &str = "webhook";

/// The values a Webhook generator of `namespace` gives.
pub(crate) async fn generate(
    services: &Arc<Services>,
    spec: &Value,
    (namespace, name): (&str, &str),
) -> Result<SecretMap> {
    let entry = lockstep_provider_registry::lookup(PROVIDER)
        .map_err(|error| Error::unsupported(error.for_store(name)))?;
    let scope = Scope::Namespaced {
        namespace: namespace.to_owned(),
    };
    let store = StoreName {
        namespace: Some(namespace.to_owned()),
        name: name.to_owned(),
    };
    let ctx = Ctx::new(Arc::clone(services), store, scope);
    let asked = async {
        let store = entry.connect(spec.clone(), ctx).await?;
        store.get_map(&RemoteRef::default()).await
    };
    let patience = services.time.sleep(CALL_DEADLINE);
    match select(Box::pin(asked), patience).await {
        // A generator has no secret that could be missing, so a target is never deleted for it.
        Either::Left((Err(error), _)) if error.consequence().absent => Err(Error::invalid_data(
            format!("the endpoint of generator {name} answered 404"),
        )),
        Either::Left((answer, _)) => answer,
        Either::Right(_) => Err(Error::unreachable(format!(
            "generator {name} had no answer within {CALL_DEADLINE:?}"
        ))),
    }
}
