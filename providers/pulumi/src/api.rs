//! The requests this provider makes and the answers it understands. An environment is opened before
//! it is read; what is open ends by itself.

use std::collections::BTreeMap;

use lockstep_provider_api::http::{Method, Tls, encode_component};
use lockstep_provider_api::json::{Value, decode};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::not_absence;
use lockstep_provider_kit::{Address, Rest};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::auth;
use crate::error;
use crate::spec::PulumiSpec;

/// The metric's label.
const PROVIDER: &str = "Pulumi";

/// What every envelope has.
pub(crate) const REQUIRED: [&str; 2] = ["value", "trace"];

/// A connection to an environment.
pub(crate) struct Api {
    rest: Rest,
    path: String,
    /// Why no request is sent: a name that the SDK refuses.
    refused: Option<String>,
}

/// Names in the address with the lengths that the SDK allows.
const NAMES: [(&str, usize, usize); 3] = [
    ("orgName", 3, 40),
    ("projectName", 1, 100),
    ("envName", 1, 100),
];

#[derive(Deserialize)]
struct Opened {
    id: String,
}

#[derive(Deserialize)]
struct Environment {
    #[serde(default)]
    properties: Option<Box<RawValue>>,
}

impl Api {
    /// Resolves credentials.
    pub(crate) async fn connect(spec: &PulumiSpec, ctx: &Ctx) -> Result<Self> {
        let base = Address::new("spec.provider.pulumi.apiUrl", spec.api_url())?;
        let rest = Rest::new(ctx, PROVIDER, base, &Tls::default())?;
        let auth = auth::connect(spec, &rest).await?;
        let parts = [&spec.organization, &spec.project, &spec.environment];
        let mut named = NAMES.iter().zip(parts);
        let refused = named.find_map(|(limits, name)| length_fault(*limits, name));
        let [organization, project, environment] = parts.map(|part| encode_component(part));
        Ok(Self {
            rest: rest.signed(auth),
            path: format!("/environments/{organization}/{project}/{environment}"),
            refused,
        })
    }

    /// The value at a path of the environment.
    pub(crate) async fn read(&self, property: &str) -> Result<Value> {
        let id = self.open().await?;
        // Two slashes: so does the SDK.
        let path = format!("{}/open//{}", self.path, encode_component(&id));
        let request = self.rest.get(&path).query("property", property);
        let answer = self
            .rest
            .send("ReadEnvironmentProperty", request, error::check);
        enveloped(answer.await?.json()?)
    }

    /// All values of the environment, each in its envelope.
    pub(crate) async fn read_all(&self) -> Result<Value> {
        let id = self.open().await?;
        let path = format!("{}/open/{}", self.path, encode_component(&id));
        let request = self.rest.get(&path);
        let answer = self.rest.send("ReadOpenEnvironment", request, error::check);
        let environment: Environment = answer.await.map_err(not_absence)?.json()?;
        value(environment.properties)
    }

    /// Replaces the environment's definition.
    pub(crate) async fn write(&self, definition: &SecretValue) -> Result<()> {
        let request = self.rest.request(Method::PATCH, &self.path);
        let request = request.body("application/x-yaml", definition.expose().to_vec());
        let answer = self.rest.send("UpdateEnvironment", request, error::check);
        answer.await.map(drop).map_err(not_absence)
    }

    async fn open(&self) -> Result<String> {
        if let Some(text) = &self.refused {
            return Err(Error::invalid_spec(text));
        }
        let request = self.rest.post(&format!("{}/open", self.path));
        let answer = self
            .rest
            .send("OpenEnvironment", request, error::check)
            .await;
        // An environment that is not there is a fault of the store.
        let opened: Opened = answer.map_err(not_absence)?.json()?;
        Ok(opened.id)
    }
}

fn length_fault((name, least, most): (&str, usize, usize), text: &str) -> Option<String> {
    match text.chars().count() {
        length if length < least => Some(format!("{name} must have at least {least} elements")),
        length if length > most => Some(format!("{name} must have less than {most} elements")),
        _ => None,
    }
}

/// The value in an envelope. One without its two members is refused, as the SDK does.
fn enveloped(mut envelope: BTreeMap<String, Box<RawValue>>) -> Result<Value> {
    for name in REQUIRED {
        if !envelope.contains_key(name) {
            return Err(missing_member(name));
        }
    }
    value(envelope.remove("value"))
}

/// A member that an envelope lacks, in the words of the SDK.
pub(crate) fn missing_member(name: &str) -> Error {
    Error::invalid_data(format!("no value given for required property {name}"))
}

fn value(raw: Option<Box<RawValue>>) -> Result<Value> {
    match raw {
        None => Ok(Value::Null),
        Some(raw) => decode(&SecretValue::from(raw.get())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_lengths() {
        assert_eq!(length_fault(NAMES[0], "org"), None);
        assert_eq!(
            length_fault(NAMES[0], "ab").unwrap(),
            "orgName must have at least 3 elements"
        );
        assert_eq!(
            length_fault(NAMES[2], &"e".repeat(101)).unwrap(),
            "envName must have less than 100 elements"
        );
    }
}
