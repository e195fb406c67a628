//! The requests this provider makes and the answers it understands: reads are GET requests with a
//! body. Which secret a key means is decided in `lookup`.

use lockstep_provider_api::http::{Answer, Method};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::error::not_absence;
use lockstep_provider_kit::{Address, Rest, tls};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::auth;
use crate::error;
use crate::spec::BitwardenSpec;

/// The metric's label.
const PROVIDER: &str = "BitwardenSecretsManager";
const SECRET: &str = "/rest/api/1/secret";
const SECRETS: &str = "/rest/api/1/secrets";

/// A connection to a sidecar.
pub(crate) struct Api {
    rest: Rest,
    organization: String,
    /// The project that names are looked for in.
    pub(crate) project: String,
}

/// A secret without its value.
#[derive(Deserialize)]
pub(crate) struct Entry {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) key: String,
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    data: Option<Vec<Entry>>,
}

/// A secret.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Secret {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) value: String,
    #[serde(default)]
    pub(crate) note: String,
    #[serde(default)]
    pub(crate) project_id: Option<String>,
}

#[derive(Deserialize)]
struct Deleted {
    #[serde(default)]
    data: Option<Vec<Outcome>>,
}

#[derive(Deserialize)]
struct Outcome {
    #[serde(default)]
    error: Option<String>,
}

/// What a write puts there.
pub(crate) struct Draft<'a> {
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
    pub(crate) note: &'a str,
}

impl Api {
    /// Resolves trust and credentials.
    pub(crate) async fn connect(spec: &BitwardenSpec, ctx: &Ctx) -> Result<Self> {
        let auth = auth::connect(spec, ctx).await?;
        let trust = tls::trusting_text(ctx, spec.ca_bundle(), spec.ca_provider.as_ref()).await?;
        let url = spec.bitwarden_server_sdk_url.as_deref();
        let field = "spec.provider.bitwardensecretsmanager.bitwardenServerSDKURL";
        let base = Address::new(field, url.unwrap_or_default())?;
        let rest = Rest::new(ctx, PROVIDER, base, &trust)?;
        Ok(Self {
            rest: rest.signed(auth),
            organization: spec.organization_id.clone(),
            project: spec.project_id.clone(),
        })
    }

    /// The secret of an id.
    pub(crate) async fn read(&self, id: &str) -> Result<Secret> {
        let body = json!({ "id": id });
        let answer = self.send("GetSecret", Method::GET, SECRET, &body);
        answer.await?.json()
    }

    /// All secrets of the organization, without their values.
    pub(crate) async fn list(&self) -> Result<Vec<Entry>> {
        let body = json!({ "organizationID": self.organization });
        let answer = self.send("ListSecrets", Method::GET, SECRETS, &body).await;
        let answer =
            answer.map_err(|error| not_absence(error).context("failed to list secrets"))?;
        let listed: Listed = answer.json()?;
        Ok(listed.data.unwrap_or_default())
    }

    /// Makes a secret.
    pub(crate) async fn create(&self, draft: &Draft<'_>) -> Result<()> {
        let body = self.body(draft);
        let answer = self.send("CreateSecret", Method::POST, SECRET, &body);
        answer.await.map(drop).map_err(not_absence)
    }

    /// Changes a secret.
    pub(crate) async fn update(&self, id: &str, draft: &Draft<'_>) -> Result<()> {
        let mut body = self.body(draft);
        body["id"] = json!(id);
        let answer = self.send("UpdateSecret", Method::PUT, SECRET, &body);
        answer.await.map(drop)
    }

    /// Deletes a secret. The sidecar answers 200 and names what Bitwarden refused.
    pub(crate) async fn delete(&self, id: &str) -> Result<()> {
        let body = json!({ "ids": [id] });
        let answer = self.send("DeleteSecret", Method::DELETE, SECRET, &body);
        let deleted: Deleted = answer.await?.json()?;
        let refused = deleted.data.unwrap_or_default().into_iter();
        let mut refused =
            refused.filter_map(|outcome| outcome.error.filter(|text| !text.is_empty()));
        match refused.next() {
            None => Ok(()),
            Some(text) => Err(Error::new(
                ErrorKind::Denied,
                format!("error while deleting secret: {text}"),
            )),
        }
    }

    fn body(&self, draft: &Draft<'_>) -> Value {
        json!({
            "key": draft.key,
            "value": draft.value,
            "note": draft.note,
            "organizationId": self.organization,
            "projectIds": [self.project],
        })
    }

    async fn send(
        &self,
        call: &'static str,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<Answer> {
        let request = self.rest.request(method, path).json(body);
        self.rest.send(call, request, error::check).await
    }
}
