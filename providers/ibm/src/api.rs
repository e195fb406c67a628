//! The requests this provider makes. What a secret's fields mean is decided in `fields`, what a failure
//! means in `error`.

use std::time::Duration;

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::retry::RetrySettings;
use lockstep_provider_kit::rest::Repeat;
use lockstep_provider_kit::{Address, Rest};

use crate::auth;
use crate::error;
use crate::key::Key;
use crate::spec::IbmSpec;

/// The metric's label.
pub(crate) const PROVIDER: &str = "IBM/SecretsManager";

const RETRIES: u32 = 3;
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A connection to an instance.
pub(crate) struct Api {
    rest: Rest,
}

impl Api {
    /// Resolves the credentials.
    pub(crate) async fn connect(spec: &IbmSpec, ctx: &Ctx) -> Result<Self> {
        let session = auth::connect(spec, ctx).await?;
        let url = spec.url()?;
        if auth::is_wrapped(url.as_bytes()) {
            return Err(auth::wrapped("URL"));
        }
        let base = Address::new("spec.provider.ibm.serviceUrl", url)?;
        let rest = Rest::new(ctx, PROVIDER, base, &Tls::default())?.signed(session);
        Ok(Self {
            rest: rest.repeating(repeats(ctx.retry())),
        })
    }

    /// The whole of a secret, as the backend answers it.
    pub(crate) async fn read(&self, key: &Key<'_>) -> Result<SecretValue> {
        let call = if key.is_id() {
            "GetSecret"
        } else {
            "GetSecretByNameType"
        };
        let request = self.rest.get(&key.path()?).accept_json();
        let answer = self.rest.send(call, request, error::check).await?;
        Ok(answer.into_secret())
    }
}

/// Without settings upstream's client does not repeat anything.
fn repeats(settings: Option<&RetrySettings>) -> Repeat {
    settings.map_or(Repeat::NEVER, |settings| {
        Repeat::doubling(
            settings.max_retries.unwrap_or(RETRIES),
            settings.interval.unwrap_or(LONGEST_PAUSE),
        )
    })
}
