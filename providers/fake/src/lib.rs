#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod pushed;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{FakeSpec, Item};
pub use store::FakeStore;

/// The provider `fake`.
pub struct Fake;

impl Provider for Fake {
    const NAME: &'static str = "fake";
    const STABILITY: Stability = Stability::NotMaintained;
    type Spec = FakeSpec;
    type Store = FakeStore;

    fn validate(spec: &FakeSpec, _scope: &Scope) -> Result<Warnings> {
        spec.validate()
    }

    fn capabilities(_spec: &FakeSpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            delete: true,
            exists: true,
            find_by_name: true,
            versions: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: FakeSpec, ctx: Ctx) -> Result<FakeStore> {
        Ok(FakeStore::open(spec, ctx.store()))
    }
}
