#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod endpoints;
mod error;
mod find;
mod messages;
mod spec;
mod store;
mod uuid;

use lockstep_provider_api::prelude::*;

pub use spec::{Auth, CloudrusmSpec, SecretRef};
pub use store::CloudrusmStore;

/// The provider `cloudrusm`.
pub struct Cloudrusm;

impl Provider for Cloudrusm {
    const NAME: &'static str = "cloudrusm";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = CloudrusmSpec;
    type Store = CloudrusmStore;

    /// The check is part of [`Self::connect`], whose words differ from those of admission.
    fn validate(_: &CloudrusmSpec, _: &Scope) -> Result<Warnings> {
        Ok(Warnings::new())
    }

    fn admit(spec: &CloudrusmSpec, scope: &Scope) -> Result<Warnings> {
        spec.check(scope).map(|_| Warnings::new())
    }

    fn capabilities(_: &CloudrusmSpec) -> Capabilities {
        Capabilities {
            read: true,
            find_by_name: true,
            find_by_tags: true,
            find_by_path: true,
            versions: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: CloudrusmSpec, ctx: Ctx) -> Result<CloudrusmStore> {
        let checked = spec.check(&owner(&ctx));
        let secret_ref = checked.map_err(|error| error.context("invalid store"))?;
        let connected = api::Api::connect(secret_ref, &spec.project_id, &ctx).await;
        let api =
            connected.map_err(|error| error.context("failed to connect cloud.ru services"))?;
        Ok(CloudrusmStore::new(api))
    }
}

/// Whose store it is, whoever uses it: the same checks hold for every caller.
fn owner(ctx: &Ctx) -> Scope {
    match &ctx.store().namespace {
        Some(namespace) => Scope::Namespaced {
            namespace: namespace.clone(),
        },
        None => Scope::Cluster { caller: None },
    }
}
