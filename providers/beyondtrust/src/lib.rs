#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod inputs;
mod path;
mod push;
mod session;
mod spec;
mod store;

use lockstep_provider_api::http::{Identity, Tls, Verification};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest};

pub use spec::{Auth, BeyondtrustSpec, Server};
pub use store::BeyondtrustStore;

/// The metric's label.
const LABEL: &str = "BeyondTrust/PasswordSafe";

/// The provider `beyondtrust`.
pub struct Beyondtrust;

impl Provider for Beyondtrust {
    const NAME: &'static str = "beyondtrust";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = BeyondtrustSpec;
    type Store = BeyondtrustStore;

    /// Upstream finds everything when it connects.
    fn validate(_: &BeyondtrustSpec, _: &Scope) -> Result<Warnings> {
        Ok(Warnings::new())
    }

    fn admit(spec: &BeyondtrustSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &BeyondtrustSpec) -> Capabilities {
        Capabilities {
            read: true,
            write: true,
            exists: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: BeyondtrustSpec, ctx: Ctx) -> Result<BeyondtrustStore> {
        // Whose credentials they are shows when somebody uses the store.
        if spec.auth.is_referent(&ctx) && ctx.scope().home().is_none() {
            let base = Address::new("apiUrl", spec.server.api_url.trim())?;
            return Ok(BeyondtrustStore::new(ctx, base, spec.server, None));
        }
        let credentials = auth::credentials(&spec.auth, &ctx).await;
        let credentials =
            credentials.map_err(|error| error.context("error loading credentials"))?;
        let certificate = auth::certificate(&spec.auth, &ctx).await;
        let certificate =
            certificate.map_err(|error| error.context("error loading certificate"))?;
        let checked = inputs::check(&spec.server, &credentials, certificate.as_ref());
        checked.map_err(|error| error.context("error in Inputs"))?;
        let tls = Tls {
            ca: None,
            identity: certificate.map(|pair| Identity {
                certificate: pair.certificate.expose().to_vec(),
                key: pair.key,
            }),
            verification: if spec.server.verify_ca {
                Verification::Full
            } else {
                Verification::Off
            },
        };
        let base = Address::new("apiUrl", spec.server.api_url.trim())?;
        let rest = Rest::new(&ctx, LABEL, base.clone(), &tls)?;
        let sessions = session::Sessions::new(rest, credentials);
        Ok(BeyondtrustStore::new(
            ctx,
            base,
            spec.server,
            Some(sessions),
        ))
    }
}
