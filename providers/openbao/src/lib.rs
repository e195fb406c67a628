#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod auth;
mod find;
mod spec;
mod store;

use lockstep_provider_api::prelude::*;

pub use spec::{AppRole, Auth, OpenBaoSpec, UserPass};
pub use store::OpenBaoStore;

/// OpenBao.
pub struct OpenBao;

impl Provider for OpenBao {
    const NAME: &'static str = "openBao";
    const STABILITY: Stability = Stability::Maintained;
    const REPEATS: bool = true;
    type Spec = OpenBaoSpec;
    type Store = OpenBaoStore;

    fn validate(spec: &OpenBaoSpec, scope: &Scope) -> Result<Warnings> {
        spec.validate(scope)
    }

    fn capabilities(spec: &OpenBaoSpec) -> Capabilities {
        Capabilities {
            read: true,
            find_by_name: true,
            find_by_path: true,
            versions: spec.has_versions(),
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: OpenBaoSpec, ctx: Ctx) -> Result<OpenBaoStore> {
        OpenBaoStore::connect(spec, ctx).await
    }
}
