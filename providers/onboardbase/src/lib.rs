#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod cipher;
mod entries;
mod error;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{Auth, OnboardbaseSpec};
pub use store::OnboardbaseStore;

/// The provider `onboardbase`.
pub struct Onboardbase;

impl Provider for Onboardbase {
    const NAME: &'static str = "onboardbase";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = OnboardbaseSpec;
    type Store = OnboardbaseStore;

    fn validate(spec: &OnboardbaseSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn admit(spec: &OnboardbaseSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &OnboardbaseSpec) -> Capabilities {
        Capabilities {
            read: true,
            find_by_name: true,
            find_by_path: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: OnboardbaseSpec, ctx: Ctx) -> Result<OnboardbaseStore> {
        let api = api::Api::connect(&spec, &ctx).await?;
        let passcode = auth::passcode(&spec, &ctx).await?;
        Ok(OnboardbaseStore::new(api, spec, passcode))
    }
}
