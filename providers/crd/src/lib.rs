#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod key;
mod read;
mod spec;
mod store;
mod whitelist;

use lockstep_api_server::Client;
use lockstep_provider_api::prelude::*;

use api::Objects;
pub use spec::CrdSpec;
pub use store::CrdStore;
use whitelist::Whitelist;

/// Objects of any kind of a Kubernetes cluster, Secrets excepted.
pub struct Crd;

impl Provider for Crd {
    const NAME: &'static str = "crd";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = CrdSpec;
    type Store = CrdStore;

    fn validate(spec: &CrdSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &CrdSpec) -> Capabilities {
        Capabilities {
            read: true,
            exists: true,
            find_by_name: true,
            find_by_tags: true,
            ..Capabilities::NONE
        }
    }

    /// Looks up the kind and asks whether it may be read, so that a store that cannot work is not
    /// Ready.
    async fn connect(spec: CrdSpec, ctx: Ctx) -> Result<CrdStore> {
        let whitelist = Whitelist::new(spec.rules())?;
        let connection = spec.connection();
        let is_referent = connection.is_referent(&ctx);
        let home = ctx.store().namespace.clone();
        let mut store = CrdStore::unconnected(home.clone(), whitelist);
        if is_referent && ctx.scope().home().is_none() {
            return Ok(store);
        }
        let access = connection.access(&ctx).await;
        let access =
            access.map_err(|error| error.context("crd: failed to prepare api connection"))?;
        store.renew_after = access.renew_after;
        let client = Client::new("CRD", access, ctx)?;
        let objects = Objects::discover(client, spec.resource, home).await?;
        objects.require("get").await?;
        store.objects = Some(objects);
        store.is_referent = is_referent;
        Ok(store)
    }
}
