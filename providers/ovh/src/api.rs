//! The requests this provider makes and the answers it understands. What a failure means is decided
//! in `error`.

use lockstep_provider_api::http::{Answer, Method, RequestBuilder, encode_component};
use lockstep_provider_api::json::{self, decode, to_secret};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Address, Rest};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::auth;
use crate::error;
use crate::spec::{NO_CLIENT, OvhSpec};

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
    /// Its data as JSON with sorted members; there is at least one.
    pub(crate) data: SecretValue,
    /// Number of its newest version.
    pub(crate) current: Option<u32>,
}

#[derive(Deserialize)]
struct Read {
    version: Option<Version>,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Version {
    data: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    current_version: Option<u32>,
}

#[derive(Deserialize)]
struct Listed {
    data: Option<Keys>,
}

#[derive(Deserialize)]
struct Keys {
    keys: Option<Vec<String>>,
}

impl Api {
    /// Resolves trust and credentials.
    pub(crate) async fn connect(spec: &OvhSpec, ctx: &Ctx) -> Result<Self> {
        let credentials = auth::connect(&spec.auth, ctx).await;
        let (trust, auth) = credentials.map_err(|error| error.context(NO_CLIENT))?;
        let server = spec.server.trim_end_matches('/');
        let base = format!("{server}/api/{}", spec.domain()?);
        let base = Address::new("spec.provider.ovh.server", &base)?;
        let rest = Rest::new(ctx, PROVIDER, base, &trust)?;
        Ok(Self {
            rest: rest.signed(auth),
            cas: spec.cas_required.unwrap_or_default(),
        })
    }

    /// Whether secrets may be listed.
    pub(crate) async fn check(&self) -> Result<()> {
        let answer = self.send("ListSecrets", self.rest.get(SECRETS)).await?;
        let content_type = answer.header("content-type").unwrap_or_default();
        if content_type.contains("json") {
            answer.json::<Vec<IgnoredAny>>()?;
        }
        Ok(())
    }

    /// A secret, or one version of it.
    pub(crate) async fn read(&self, path: &str, version: Option<u32>) -> Result<Secret> {
        let version = version.map(|number| number.to_string());
        let request = self.rest.get(&at(path)).query("includeData", "true");
        let request = request.query_some("version", version.as_deref());
        let answer = self.rest.send("GetSecret", request, error::secret).await?;
        let read: Read = answer.json()?;
        let missing = || Error::invalid_data("secret version data is missing");
        let data = read.version.and_then(|version| version.data);
        let data = decode(&SecretValue::from(data.ok_or_else(missing)?.get()))?;
        if !matches!(&data, json::Value::Object(members) if !members.is_empty()) {
            return Err(missing());
        }
        Ok(Secret {
            data: to_secret(&data),
            current: read.metadata.and_then(|metadata| metadata.current_version),
        })
    }

    /// Whether a secret is there.
    pub(crate) async fn exists(&self, path: &str) -> Result<bool> {
        let request = self.rest.get(&at(path));
        match self.rest.send("GetSecret", request, error::secret).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == &ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What is in a folder; folders in it end with a slash. A missing folder is no missing secret.
    pub(crate) async fn folder(&self, path: &str) -> Result<Vec<String>> {
        let address = format!("/v1/secret/metadata/{}", encode_component(path));
        let request = self.rest.get(&address).query("list", "true");
        let listed = self.rest.send("ListSecrets", request, error::listed).await;
        let listed: Result<Listed> = listed.and_then(|answer| answer.json());
        let listed = listed
            .map_err(|error| error.context(format!("could not list secrets at path {path:?}")))?;
        let keys = listed.data.and_then(|data| data.keys);
        Ok(keys.unwrap_or_default())
    }

    /// Makes a secret.
    pub(crate) async fn create(&self, path: &str, data: &Value) -> Result<()> {
        let body = serde_json::json!({ "path": path, "version": { "data": data } });
        let request = self.rest.post(SECRETS).json(&body);
        self.send("CreateSecret", request).await.map(drop)
    }

    /// Adds a version to a secret; `replaced` is the one that must be the newest until then.
    pub(crate) async fn update(
        &self,
        path: &str,
        data: &Value,
        replaced: Option<u32>,
    ) -> Result<()> {
        let replaced = replaced.map(|number| number.to_string());
        let request = self.rest.request(Method::PUT, &at(path));
        let request = request.query_some("cas", replaced.as_deref());
        let request = request.json(&serde_json::json!({ "version": { "data": data } }));
        self.send("UpdateSecret", request).await.map(drop)
    }

    /// Deletes a secret with all its versions.
    pub(crate) async fn delete(&self, path: &str) -> Result<()> {
        let request = self.rest.request(Method::DELETE, &at(path));
        let sent = self.rest.send("DeleteSecret", request, error::secret).await;
        sent.map(drop)
    }

    async fn send(&self, call: &'static str, request: RequestBuilder) -> Result<Answer> {
        self.rest.send(call, request, error::other).await
    }
}

/// A path is one segment of the address.
fn at(path: &str) -> String {
    format!("{SECRETS}/{}", encode_component(path))
}
