//! The requests this provider makes and the answers it understands. What a failure means is decided
//! in `error`.

use lockstep_provider_api::http::Tls;
use lockstep_provider_api::json::{Value, decode, to_secret};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Rest;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::address::Template;
use crate::auth;
use crate::error;
use crate::spec::DelineaSpec;

/// The metric's label.
const PROVIDER: &str = "Delinea/DevOpsSecretsVault";

/// A connection to a tenant.
pub(crate) struct Api {
    rest: Rest,
    template: Template,
}

#[derive(Deserialize)]
struct Secret {
    #[serde(default, alias = "Data")]
    data: Option<Box<RawValue>>,
}

impl Api {
    /// Resolves credentials; signs in with the first request.
    pub(crate) async fn connect(spec: &DelineaSpec, ctx: &Ctx) -> Result<Self> {
        let template = Template::new(spec)?;
        let rest = Rest::new(ctx, PROVIDER, template.base.clone(), &Tls::default())?;
        let session = auth::connect(spec, &template, &rest).await?;
        Ok(Self {
            rest: rest.signed(session),
            template,
        })
    }

    /// The data of a secret as JSON with sorted members; empty where it has none.
    pub(crate) async fn read(&self, path: &str) -> Result<SecretValue> {
        let request = self.rest.get(&self.template.path("secrets", path));
        let answer = self.rest.send("GetSecret", request, error::check).await?;
        let secret: Secret = answer.json()?;
        let Some(data) = secret.data else {
            return Ok(SecretValue::default());
        };
        let data = decode(&SecretValue::from(data.get()))?;
        if matches!(data, Value::Object(_) | Value::Null) {
            return Ok(to_secret(&data));
        }
        Err(Error::invalid_data("the data of the secret is no object"))
    }
}
