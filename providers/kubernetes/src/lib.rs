#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod mark;
mod push;
mod read;
mod secret;
mod spec;
mod store;

use lockstep_api_server::Client;
use lockstep_provider_api::prelude::*;

use api::Secrets;
pub use spec::KubernetesSpec;
pub use store::KubernetesStore;

/// The Secrets of a Kubernetes namespace, this cluster's or another's.
pub struct Kubernetes;

impl Provider for Kubernetes {
    const NAME: &'static str = "kubernetes";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = KubernetesSpec;
    type Store = KubernetesStore;

    fn validate(spec: &KubernetesSpec, scope: &Scope) -> Result<Warnings> {
        spec.connection().validate(scope)
    }

    fn capabilities(_: &KubernetesSpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: true,
            exists: true,
            find_by_name: true,
            find_by_tags: true,
            metadata: true,
            // The API server's limit for the values of one Secret together.
            max_value_size: Some(1024 * 1024),
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: KubernetesSpec, ctx: Ctx) -> Result<KubernetesStore> {
        let is_referent = spec.connection().is_referent(&ctx);
        let mut store = KubernetesStore {
            secrets: None,
            is_referent,
            is_cluster: ctx.store().namespace.is_none(),
            renew_after: None,
            namespace: spec.remote_namespace.clone(),
        };
        if is_referent && ctx.scope().home().is_none() {
            return Ok(store);
        }
        let access = spec.connection().access(&ctx).await;
        let access = access.map_err(|error| error.context("failed to prepare auth"))?;
        store.renew_after = access.renew_after;
        store.secrets = Some(Secrets(Client::new("Kubernetes", access, ctx)?));
        Ok(store)
    }
}
