//! The requests this provider makes and the answers it understands: reads are GET requests with a
//! body. Which secret a key means is decided in `lookup`.

use lockstep_provider_api::http::{Answer, Method, Tls};
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
const URL: &str = "spec.provider.bitwardensecretsmanager.bitwardenServerSDKURL";

/// A connection to a sidecar.
pub(crate) struct Api {
    /// `None` where the store names no sidecar: such a store is ready, and its reads fail.
    rest: Option<Rest>,
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

/// A secret. Members that the sidecar leaves out or writes as `null` are empty.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Secret {
    id: Option<String>,
    value: Option<String>,
    note: Option<String>,
    project_id: Option<String>,
}

impl Secret {
    pub(crate) fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }

    pub(crate) fn value(&self) -> &str {
        self.value.as_deref().unwrap_or_default()
    }

    pub(crate) fn note(&self) -> &str {
        self.note.as_deref().unwrap_or_default()
    }

    pub(crate) fn is_of(&self, project: &str) -> bool {
        self.project_id.as_deref() == Some(project)
    }
}

#[derive(Deserialize)]
struct Deleted {
    #[serde(default)]
    data: Option<Vec<Outcome>>,
}

#[derive(Deserialize)]
struct Outcome {
    #[serde(default)]
    id: String,
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
        let auth = auth::connect(spec, ctx).await;
        let auth = auth.map_err(|error| error.context("could not resolve auth credentials"))?;
        let trust = trust(spec, ctx).await.map_err(|error| {
            error.context("could not create SdkClient: error creating https client")
        })?;
        let rest = match spec.sidecar() {
            None => None,
            Some(url) => Some(Rest::new(ctx, PROVIDER, Address::new(URL, url)?, &trust)?),
        };
        Ok(Self {
            rest: rest.map(|rest| rest.signed(auth)),
            organization: spec.organization_id.clone(),
            project: spec.project_id.clone(),
        })
    }

    /// The secret of an id.
    pub(crate) async fn read(&self, id: &str) -> Result<Secret> {
        let body = json!({ "id": id });
        let answer = self.send("GetSecret", Method::GET, SECRET, &body).await;
        let secret = answer.and_then(|answer| answer.json());
        secret.map_err(|error| error.context("failed to get secret"))
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
        let sent = answer.await.map(drop).map_err(not_absence);
        sent.map_err(|error| error.context("failed to create secret"))
    }

    /// Changes a secret.
    pub(crate) async fn update(&self, id: &str, draft: &Draft<'_>) -> Result<()> {
        let mut body = self.body(draft);
        body["id"] = json!(id);
        let answer = self.send("UpdateSecret", Method::PUT, SECRET, &body);
        let sent = answer.await.map(drop);
        sent.map_err(|error| error.context("failed to update secret"))
    }

    /// Deletes a secret. The sidecar answers 200 and names what Bitwarden refused.
    pub(crate) async fn delete(&self, id: &str) -> Result<()> {
        let body = json!({ "ids": [id] });
        let answer = self
            .send("DeleteSecret", Method::DELETE, SECRET, &body)
            .await;
        let deleted = answer.and_then(|answer| answer.json::<Deleted>());
        let deleted = deleted.map_err(|error| {
            let error = error.context("failed to delete secret");
            error.context("error deleting secret")
        })?;
        let refused: Vec<String> = deleted
            .data
            .unwrap_or_default()
            .into_iter()
            .filter_map(|Outcome { id, error }| {
                let text = error.filter(|text| !text.is_empty())?;
                Some(format!("error deleting secret with id {id}: {text}"))
            })
            .collect();
        if refused.is_empty() {
            return Ok(());
        }
        let text = format!(
            "there were one or more errors deleting secrets: {}",
            refused.join("\n")
        );
        Err(Error::new(ErrorKind::Denied, text))
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
        let rest = self.rest.as_ref();
        let rest = rest.ok_or_else(|| Error::invalid_spec(format!("{URL} is empty")))?;
        let request = rest.request(method, path).json(body);
        rest.send(call, request, error::check).await
    }
}

/// The authorities of the sidecar. Public ones do not count: as upstream does, a store must name some.
async fn trust(spec: &BitwardenSpec, ctx: &Ctx) -> Result<Tls> {
    if spec.ca_bundle().is_none() && spec.ca_provider.is_none() {
        return Err(Error::invalid_spec(
            "failed to append caBundle: give a caBundle or a caProvider",
        ));
    }
    tls::trusting_text(ctx, spec.ca_bundle(), spec.ca_provider.as_ref()).await
}
