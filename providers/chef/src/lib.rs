#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod api;
mod auth;
mod error;
mod key;
mod spec;
mod store;

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest};

pub use spec::{Auth, ChefSpec, SecretRef};
pub use store::ChefStore;

/// The metric's label.
const LABEL: &str = "Chef";

/// The provider `chef`.
pub struct Chef;

impl Provider for Chef {
    const NAME: &'static str = "chef";
    const STABILITY: Stability = Stability::Maintained;
    type Spec = ChefSpec;
    type Store = ChefStore;

    /// Upstream finds everything when it connects.
    fn validate(_: &ChefSpec, _: &Scope) -> Result<Warnings> {
        Ok(Warnings::new())
    }

    fn admit(spec: &ChefSpec, scope: &Scope) -> Result<Warnings> {
        spec.admit(scope)
    }

    fn capabilities(_: &ChefSpec) -> Capabilities {
        Capabilities {
            read: true,
            ..Capabilities::NONE
        }
    }

    async fn connect(spec: ChefSpec, ctx: Ctx) -> Result<ChefStore> {
        let checked = spec.check();
        checked.map_err(|error| error.context("missing or invalid spec"))?;
        if ctx.is_referent(spec.key().namespace.as_deref()) {
            return Err(Error::invalid_spec(
                "invalid ClusterSecretStore: missing privateKeySecretRef.Namespace",
            ));
        }
        let secret = ctx.labelled_secret(spec.key()).await;
        let secret = secret.map_err(|error| error.context("could not fetch SecretKey Secret"))?;
        let name = spec.key().key.as_deref().unwrap_or_default();
        let pem = secret.data.get(name).filter(|pem| !pem.is_empty());
        let pem = pem.ok_or_else(|| {
            Error::invalid_spec(format!(
                "missing Secret Key: the Secret has no value for {name:?}"
            ))
        })?;
        let key = key::Key::from_pem(pem);
        let key = key.map_err(|error| error.context("unable to create chef client"))?;
        let base = Address::new("serverUrl", &spec.server_url)?;
        let rest = Rest::new(&ctx, LABEL, base, &Tls::default())?;
        let rest = rest.signed(auth::Signer::new(ctx, &spec.username, key));
        Ok(ChefStore::new(api::Api::new(rest, spec.username)))
    }
}
