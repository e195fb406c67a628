#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod find;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::tls::trusting;
use lockstep_provider_kit::workload_credentials::Site;

pub use spec::{ApiKey, Auth, BeyondtrustworkloadcredentialsSpec, Server};
pub use store::BeyondtrustworkloadcredentialsStore;

/// The provider `beyondtrustworkloadcredentials`.
pub struct Beyondtrustworkloadcredentials;

impl Provider for Beyondtrustworkloadcredentials {
    const NAME: &'static str = "beyondtrustworkloadcredentials";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = BeyondtrustworkloadcredentialsSpec;
    type Store = BeyondtrustworkloadcredentialsStore;

    /// Upstream finds everything when it connects.
    fn validate(_: &BeyondtrustworkloadcredentialsSpec, _: &Scope) -> Result<Warnings> {
        Ok(Warnings::new())
    }

    fn admit(spec: &BeyondtrustworkloadcredentialsSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &BeyondtrustworkloadcredentialsSpec) -> Capabilities {
        Capabilities {
            read: true,
            find_by_name: true,
            find_by_tags: true,
            find_by_path: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(
        spec: BeyondtrustworkloadcredentialsSpec,
        ctx: Ctx,
    ) -> Result<BeyondtrustworkloadcredentialsStore> {
        let token = auth::token(&spec, &ctx).await;
        let token = token.map_err(|error| error.context("failed to load credentials"))?;
        let base = spec.address();
        let base =
            base.map_err(|error| error.context("failed to load server URL configuration"))?;
        let tls = trusting(&ctx, spec.ca_bundle.as_ref(), spec.ca_provider.as_ref()).await;
        let tls = tls.map_err(|error| {
            error.context(
                "failed to create BeyondtrustWorkloadCredentials client: failed to fetch CA certificate",
            )
        })?;
        let site = Site::new(&ctx, base, token, &tls)?;
        let folder = spec.folder().to_owned();
        let api = api::Api::new(ctx, site);
        Ok(BeyondtrustworkloadcredentialsStore::new(api, folder))
    }
}
