//! The requests this provider makes and the answers it understands. What a failure means is decided
//! in `error`.

use lockstep_provider_api::http::{Answer, Method, RequestBuilder, encode_component};
use lockstep_provider_api::json::{decode, to_secret};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::auth;
use crate::error;
use crate::spec::OvhSpec;

/// The metric's label.
const PROVIDER: &str = "OVHcloud/OKMS";
const SECRETS: &str = "/v2/secret";

/// A connection to an OKMS domain.
pub(crate) struct Api {
    rest: Rest,
    /// Whether a write names the version it replaces.
    pub(crate) cas: bool,
}

/// A secret.
pub(crate) struct Secret {
    /// Its data as JSON with sorted members.
    pub(crate) data: SecretValue,
    /// Number of its newest version.
    pub(crate) current: Option<u64>,
}

#[derive(Deserialize)]
struct Read {
    #[serde(default)]
    version: Version,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
struct Version {
    #[serde(default)]
    data: Option<Box<RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(default)]
    current_version: Option<u64>,
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    data: Keys,
}

#[derive(Default, Deserialize)]
struct Keys {
    #[serde(default)]
    keys: Option<Vec<String>>,
}

impl Api {
    /// Resolves trust and credentials.
    pub(crate) async fn connect(spec: &OvhSpec, ctx: &Ctx) -> Result<Self> {
        let (trust, auth) = auth::connect(&spec.auth, ctx).await?;
        let server = spec.server.trim_end_matches('/');
        let base = format!("{server}/api/{}", encode_component(&spec.okmsid));
        let base = Address::new("spec.provider.ovh.server", &base)?;
        let rest = Rest::new(ctx, PROVIDER, base, &trust)?;
        Ok(Self {
            rest: rest.signed(auth),
            cas: spec.cas_required.unwrap_or_default(),
        })
    }

    /// Whether secrets may be listed.
    pub(crate) async fn check(&self) -> Result<()> {
        let request = self.rest.get(SECRETS);
        self.send("ListSecrets", request).await.map(drop)
    }

    /// A secret, or one version of it.
    pub(crate) async fn read(&self, path: &str, version: Option<u64>) -> Result<Secret> {
        let version = version.map(|number| number.to_string());
        let request = self.rest.get(&at(path)).query("includeData", "true");
        let request = request.query_some("version", version.as_deref());
        let read: Read = self.send("GetSecret", request).await?.json()?;
        let data = match read.version.data {
            Some(data) => to_secret(&decode(&SecretValue::from(data.get()))?),
            None => SecretValue::default(),
        };
        Ok(Secret {
            data,
            current: read.metadata.current_version,
        })
    }

    /// What is in a folder; folders in it end with a slash.
    pub(crate) async fn folder(&self, path: &str) -> Result<Vec<String>> {
        let path = format!("/v1/secret/metadata/{}", encode_component(path));
        let request = self.rest.get(&path).query("list", "true");
        let listed: Listed = self.send("ListSecrets", request).await?.json()?;
        Ok(listed.data.keys.unwrap_or_default())
    }

    /// Makes a secret.
    pub(crate) async fn create(&self, path: &str, data: &Value) -> Result<()> {
        let body = json!({ "path": path, "version": { "data": data } });
        let request = self.rest.post(SECRETS).json(&body);
        self.send("CreateSecret", request).await.map(drop)
    }

    /// Adds a version to a secret; `replaced` is the one that must be the newest until then.
    pub(crate) async fn update(
        &self,
        path: &str,
        data: &Value,
        replaced: Option<u64>,
    ) -> Result<()> {
        let replaced = replaced.map(|number| number.to_string());
        let request = self.rest.request(Method::PUT, &at(path));
        let request = request.query_some("cas", replaced.as_deref());
        let request = request.json(&json!({ "version": { "data": data } }));
        self.send("UpdateSecret", request).await.map(drop)
    }

    /// Deletes a secret with all its versions.
    pub(crate) async fn delete(&self, path: &str) -> Result<()> {
        let request = self.rest.request(Method::DELETE, &at(path));
        self.send("DeleteSecret", request).await.map(drop)
    }

    async fn send(&self, call: &'static str, request: RequestBuilder) -> Result<Answer> {
        self.rest.send(call, request, error::check).await
    }
}

/// A path is one segment of the address.
fn at(path: &str) -> String {
    format!("{SECRETS}/{}", encode_component(path))
}
