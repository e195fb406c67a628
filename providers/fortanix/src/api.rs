//! The requests this provider makes and the answers it understands: an object by its name, and the export of
//! an object that keeps its value back. What a failure means is decided in `error`.

use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Rest;
use lockstep_provider_kit::base64::{Encoding, decode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error;

/// The type of objects whose value must be exported.
const SECRET: &str = "SECRET";

/// A connection to an account.
pub(crate) struct Api {
    rest: Rest,
}

#[derive(Deserialize)]
struct Object {
    #[serde(default)]
    kid: String,
    #[serde(default)]
    obj_type: String,
    #[serde(default)]
    value: Option<String>,
}

impl Api {
    pub(crate) fn new(rest: Rest) -> Self {
        Self { rest }
    }

    /// The value of an object.
    pub(crate) async fn read(&self, name: &str) -> Result<SecretValue> {
        let body = json!({ "name": name });
        let mut object = self
            .ask("GetSobject", "/crypto/v1/keys/info", &body)
            .await?;
        if object.obj_type == SECRET {
            let body = json!({ "kid": object.kid });
            let path = "/crypto/v1/keys/export";
            object = self.ask("ExportSobject", path, &body).await?;
        }
        let value = object.value.ok_or_else(|| {
            Error::invalid_data(format!(
                "the object {name} has no value: it is of type {}, or it cannot be exported",
                object.obj_type
            ))
        })?;
        let value = SecretValue::from(value);
        let value = decode(Encoding::Standard, value.expose());
        let value = value.map_err(|_| Error::invalid_data("the object's value is no base64"))?;
        Ok(SecretValue::new(value))
    }

    async fn ask(&self, call: &'static str, path: &str, body: &Value) -> Result<Object> {
        let request = self.rest.post(path).json(body);
        let answer = self.rest.send(call, request, error::check).await?;
        answer.json()
    }
}
