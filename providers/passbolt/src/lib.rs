#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod gate;
mod metadata;
mod openpgp;
mod resource;
mod schema;
mod session;
mod spec;
mod store;

use std::sync::Arc;

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::tls::trusting;
use lockstep_provider_kit::{Address, Rest};

use crate::gate::Gate;
use crate::openpgp::PrivateKey;

pub use spec::{Auth, PassboltSpec};
pub use store::PassboltStore;

/// The name that upstream's client gives itself.
const AGENT: &str = "goPassboltClient/1.0";

/// The metric's label.
const LABEL: &str = "Passbolt";

/// The provider `passbolt`.
pub struct Passbolt;

impl Provider for Passbolt {
    const NAME: &'static str = "passbolt";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = PassboltSpec;
    type Store = PassboltStore;

    fn validate(spec: &PassboltSpec, _scope: &Scope) -> Result<Warnings> {
        spec.validate()
    }

    fn capabilities(_: &PassboltSpec) -> Capabilities {
        Capabilities {
            read: true,
            find_by_name: true,
            ..Capabilities::NONE
        }
    }

    /// Signs in once, so that a wrong key shows at the store, and out again.
    async fn connect(spec: PassboltSpec, ctx: Ctx) -> Result<PassboltStore> {
        let passphrase = ctx.secret(&spec.auth.password_secret_ref).await?;
        let armored = ctx.secret(&spec.auth.private_key_secret_ref).await?;
        let tls = trusting(&ctx, spec.ca_bundle.as_ref(), spec.ca_provider.as_ref()).await?;
        let key = PrivateKey::unlock(&armored, &passphrase)
            .map_err(|error| error.context("get Private Key"))?;
        let base = Address::new("spec.provider.passbolt.host", &spec.host)?;
        let rest = Rest::new(&ctx, LABEL, base, &tls)?.agent(AGENT);
        let gate = Gate::new(rest, Arc::new(key));
        let session = gate.join().await?;
        gate.leave(session).await;
        Ok(PassboltStore::new(gate))
    }
}
