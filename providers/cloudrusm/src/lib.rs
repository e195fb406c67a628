#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod spec;
mod store;

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest};

pub use spec::{Auth, CloudrusmSpec};
pub use store::CloudrusmStore;

/// The provider `cloudrusm`.
pub struct Cloudrusm;

impl Provider for Cloudrusm {
    const NAME: &'static str = "cloudrusm";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = CloudrusmSpec;
    type Store = CloudrusmStore;

    fn validate(spec: &CloudrusmSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(_: &CloudrusmSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: CloudrusmSpec, ctx: Ctx) -> Result<CloudrusmStore> {
        let base = Address::new("spec.provider.cloudrusm.url", &spec.url)?;
        let auth = auth::connect(&spec.auth, &ctx).await?;
        let rest = Rest::new(&ctx, Self::NAME, base, &Tls::default())?.signed(auth);
        Ok(CloudrusmStore::new(api::Api::new(rest)))
    }
}
