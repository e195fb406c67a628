//! The requests this provider makes and the answers it understands: three services of one region. What a
//! failure means is decided in `error`.

use std::collections::BTreeMap;
use std::time::Duration;

use lockstep_provider_api::http::{
    Answer, Method, Page, RequestBuilder, Tls, encode_component, pages,
};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::retry::RetrySettings;
use lockstep_provider_kit::base64::{Encoding, decode, encode};
use lockstep_provider_kit::rest::Repeat;
use lockstep_provider_kit::{Address, Rest, pager};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::auth;
use crate::error::{self, Operation};
use crate::region::Region;
use crate::spec::OracleSpec;

/// The metric's label.
pub(crate) const PROVIDER: &str = "Oracle/Vault";

const ATTEMPTS: u32 = 8;
const INTERVAL: Duration = Duration::from_secs(1);

/// A connection to a vault.
pub(crate) struct Api {
    secrets: Rest,
    vaults: Rest,
    kms: Rest,
    vault: String,
    compartment: String,
    encryption_key: String,
}

/// A secret's value with what a write needs to know.
pub(crate) struct Bundle {
    pub(crate) id: String,
    pub(crate) value: SecretValue,
    /// Whether the secret is to be deleted.
    pub(crate) is_ending: bool,
}

/// A secret in a list.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Listed {
    pub(crate) secret_name: String,
    #[serde(default)]
    pub(crate) time_of_deletion: Option<String>,
    #[serde(default)]
    pub(crate) freeform_tags: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Read {
    #[serde(default)]
    secret_id: String,
    #[serde(default)]
    time_of_deletion: Option<String>,
    #[serde(default)]
    secret_bundle_content: Option<Content>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Content {
    #[serde(default)]
    content_type: String,
    #[serde(default)]
    content: Option<String>,
}

/// What the check of a vault found out.
pub(crate) enum Seen {
    Vault,
    /// The identity is good, but the vault is not there or may not be seen.
    Hidden(Error),
}

impl Api {
    /// Resolves the credentials.
    pub(crate) async fn connect(spec: &OracleSpec, ctx: &Ctx) -> Result<Self> {
        let auth = auth::connect(spec, ctx).await;
        let auth = auth.map_err(|error| error.context("cannot setup new oracle client"))?;
        let region = Region::new(&spec.region);
        let at = |host: String| Address::new("spec.provider.oracle.region", &host);
        let rest = Rest::new(ctx, PROVIDER, at(region.secrets())?, &Tls::default())?;
        let rest = rest.signed(auth).repeating(repeats(ctx.retry()));
        Ok(Self {
            vaults: rest.clone().at(at(region.vaults())?),
            kms: rest.clone().at(at(region.kms())?),
            secrets: rest,
            vault: spec.vault.clone(),
            compartment: spec.compartment.clone().unwrap_or_default(),
            encryption_key: spec.encryption_key.clone().unwrap_or_default(),
        })
    }

    /// Whether secrets can be encrypted.
    pub(crate) fn can_push(&self) -> bool {
        !self.encryption_key.is_empty()
    }

    /// Looks the vault up.
    pub(crate) async fn check(&self) -> Result<Seen> {
        let path = format!("/20180608/vaults/{}", encode_component(&self.vault));
        let mut hidden = None;
        let sent = self.kms.send("GetVault", self.kms.get(&path), |answer| {
            let hides = error::hides(&answer);
            let checked = error::check(answer, operation("KmsVault", "GetVault"));
            match checked {
                Err(error) if hides => {
                    hidden = Some(error.duplicate());
                    Err(error)
                }
                other => other,
            }
        });
        let sent = sent.await;
        match (sent, hidden) {
            (_, Some(error)) => Ok(Seen::Hidden(error)),
            // What answers something else than JSON is not the service.
            (Ok(answer), None) => answer.json::<Value>().map(|_| Seen::Vault),
            (Err(error), None) => Err(error),
        }
    }

    /// A secret by its name, or the version of it that has a stage.
    pub(crate) async fn read(&self, name: &str, stage: Option<&str>) -> Result<Bundle> {
        let request = self
            .secrets
            .post("/20190301/secretbundles/actions/getByName");
        let request = request.query("secretName", name);
        let request = request.query_some("stage", stage);
        let request = request.query("vaultId", &self.vault);
        let called = operation("Secrets", "GetSecretBundleByName");
        let read: Read = send(&self.secrets, called, request).await?.json()?;
        let unexpected = || Error::invalid_data("unexpected secret bundle content");
        let content = read.secret_bundle_content.ok_or_else(unexpected)?;
        if content.content_type != "BASE64" {
            return Err(unexpected());
        }
        let content = content.content.ok_or_else(unexpected)?;
        let value = decode(Encoding::Standard, content.as_bytes())
            .map_err(|error| Error::invalid_data(error.to_string()))?;
        Ok(Bundle {
            id: read.secret_id,
            value: SecretValue::new(value),
            is_ending: read.time_of_deletion.is_some(),
        })
    }

    /// All secrets of the vault in the compartment.
    pub(crate) async fn list(&self) -> Result<Vec<Listed>> {
        pages(|page| async move {
            let request = self.vaults.get("/20180608/secrets");
            let request = request.query("compartmentId", &self.compartment);
            let request = request.query_some("page", page.as_deref());
            let request = request.query("vaultId", &self.vault);
            let called = operation("Vaults", "ListSecrets");
            let answer = send(&self.vaults, called, request).await?;
            Ok(Page {
                items: answer.json()?,
                next: pager::by_header(&answer, "opc-next-page"),
            })
        })
        .await
    }

    /// Makes a secret.
    pub(crate) async fn create(&self, name: &str, value: &SecretValue) -> Result<()> {
        let body = json!({
            "compartmentId": self.compartment,
            "keyId": self.encryption_key,
            "secretContent": content(value),
            "secretName": name,
            "vaultId": self.vault,
        });
        let request = self.vaults.post("/20180608/secrets").json(&body);
        self.write("CreateSecret", request).await
    }

    /// Adds a version to a secret.
    pub(crate) async fn update(&self, id: &str, value: &SecretValue) -> Result<()> {
        let request = self.vaults.request(Method::PUT, &at(id));
        let request = request.json(&json!({ "secretContent": content(value) }));
        self.write("UpdateSecret", request).await
    }

    /// Has a secret deleted when the vault's own time for that is over.
    pub(crate) async fn schedule_deletion(&self, id: &str) -> Result<()> {
        let path = format!("{}/actions/scheduleDeletion", at(id));
        let request = self.vaults.post(&path).json(&json!({}));
        self.write("ScheduleSecretDeletion", request).await
    }

    async fn write(&self, name: &'static str, request: RequestBuilder) -> Result<()> {
        let called = operation("Vaults", name);
        send(&self.vaults, called, request).await.map(drop)
    }
}

async fn send(rest: &Rest, called: Operation, request: RequestBuilder) -> Result<Answer> {
    let check = |answer| error::check(answer, called);
    rest.send(called.name, request, check).await
}

const fn operation(service: &'static str, name: &'static str) -> Operation {
    Operation { service, name }
}

/// The store's settings count attempts, as the vendor's client does.
fn repeats(settings: Option<&RetrySettings>) -> Repeat {
    let Some(settings) = settings else {
        return Repeat::FIVE_TIMES;
    };
    let attempts = settings.max_retries.unwrap_or(ATTEMPTS);
    let interval = settings.interval.unwrap_or(INTERVAL);
    Repeat::evenly(attempts.saturating_sub(1), interval)
}

fn at(id: &str) -> String {
    format!("/20180608/secrets/{}", encode_component(id))
}

fn content(value: &SecretValue) -> Value {
    json!({
        "content": encode(Encoding::Standard, value.expose()),
        "contentType": "BASE64",
    })
}
