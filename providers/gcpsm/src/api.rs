//! The calls to Secret Manager (REST, v1), each under its own name: signed, counted, and its refusal
//! explained. What an answer means to a caller is decided elsewhere.

use lockstep_provider_api::http::{Answer, HttpClient, RequestBuilder, Tls};
use lockstep_provider_api::http::{Page, pages};
use lockstep_provider_api::prelude::*;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::auth::{Identity, METRIC};
use crate::error::{self, Failure, Place};
use crate::managed::Words;

mod names;
mod types;

pub(crate) use types::{Secret, Version};

use types::{Accessed, Added, Secrets, Versions};

/// A connection to the secrets of one project or of one of its locations.
#[derive(Debug)]
pub(crate) struct Api {
    ctx: Ctx,
    http: HttpClient,
    base: String,
    project: String,
    location: Option<String>,
    identity: Identity,
}

impl Api {
    pub(crate) fn new(
        base: String,
        project: String,
        location: Option<String>,
        identity: Identity,
        ctx: Ctx,
    ) -> Result<Self> {
        let http = ctx.http(&Tls::default())?;
        Ok(Self {
            ctx,
            http,
            base,
            project,
            location,
            identity,
        })
    }

    pub(crate) fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    /// The payload of a version. One that was damaged on its way is asked for once more.
    pub(crate) async fn access(&self, key: &str, version: &str) -> Result<SecretValue, Failure> {
        let name = self.version_name(key, version).map_err(error::unsent)?;
        let ask = || self.http.get(self.url(&format!("{name}:access")));
        let answer: Accessed = self.call("AccessSecretVersion", &name, ask()).await?;
        if let Ok(payload) = answer.payload.value(&name) {
            return Ok(payload);
        }
        let again: Accessed = self.call("AccessSecretVersion", &name, ask()).await?;
        again.payload.value(&name).map_err(error::unsent)
    }

    pub(crate) async fn secret(&self, key: &str) -> Result<Secret, Failure> {
        let name = self.secret_name(key).map_err(error::unsent)?;
        let request = self.http.get(self.url(&name));
        self.call("GetSecret", &name, request).await
    }

    /// A version's state, without its payload; not billed as an access.
    pub(crate) async fn version(&self, key: &str, version: &str) -> Result<Version, Failure> {
        let name = self.version_name(key, version).map_err(error::unsent)?;
        let request = self.http.get(self.url(&name));
        self.call("GetSecretVersion", &name, request).await
    }

    /// All secrets that a filter lets through.
    pub(crate) async fn secrets(&self, filter: &str) -> Result<Vec<Secret>> {
        let parent = self.parent();
        let url = self.url(&format!("{parent}/secrets"));
        pages(|token| {
            let request = self.http.get(&*url);
            let request = request.query_some("filter", (!filter.is_empty()).then_some(filter));
            let request = request.query_some("pageToken", token.as_deref());
            let call = self.call("ListSecrets", &parent, request);
            async move {
                let page: Secrets = call.await?;
                Ok(Page {
                    items: page.secrets,
                    next: page.next_page_token,
                })
            }
        })
        .await
    }

    /// The enabled versions of a secret.
    pub(crate) async fn enabled_versions(&self, key: &str) -> Result<Vec<Version>, Failure> {
        self.listed_versions(key, Some("state:ENABLED")).await
    }

    /// All versions of a secret, whatever their state.
    pub(crate) async fn versions(&self, key: &str) -> Result<Vec<Version>, Failure> {
        self.listed_versions(key, None).await
    }

    async fn listed_versions(
        &self,
        key: &str,
        filter: Option<&str>,
    ) -> Result<Vec<Version>, Failure> {
        let name = self.secret_name(key).map_err(error::unsent)?;
        let url = self.url(&format!("{name}/versions"));
        let refused = Mutex::new(None);
        let listed = pages(|token| {
            let request = self.http.get(&*url).query_some("filter", filter);
            let request = request.query_some("pageToken", token.as_deref());
            let call = self.call::<Versions>("ListSecretVersions", &name, request);
            let refused = &refused;
            async move {
                let page = match call.await {
                    Ok(page) => page,
                    Err(failure) => {
                        let error = failure.error.duplicate();
                        *refused.lock() = Some(failure);
                        return Err(error);
                    }
                };
                Ok(Page {
                    items: page.versions,
                    next: page.next_page_token,
                })
            }
        })
        .await;
        let refused = refused.into_inner();
        listed.map_err(|error| refused.unwrap_or_else(|| error::unsent(error)))
    }

    pub(crate) async fn create(&self, key: &str, secret: &Value) -> Result<Secret, Failure> {
        let name = self.secret_name(key).map_err(error::unsent)?;
        let url = self.url(&format!("{}/secrets", self.parent()));
        let request = self.http.post(url).query("secretId", key).json(secret);
        self.call("CreateSecret", &name, request).await
    }

    /// Replaces labels and annotations of a secret, unless it changed since it was read.
    pub(crate) async fn update(
        &self,
        key: &str,
        etag: Option<&str>,
        labels: &Words,
        annotations: &Words,
    ) -> Result<Secret, Failure> {
        let name = self.secret_name(key).map_err(error::unsent)?;
        let mut secret = json!({ "name": name, "labels": labels });
        if !annotations.is_empty() {
            secret["annotations"] = json!(annotations);
        }
        if let Some(etag) = etag {
            secret["etag"] = json!(etag);
        }
        let request = self.http.patch(self.url(&name));
        let request = request.query("updateMask", "labels,annotations");
        self.call("UpdateSecret", &name, request.json(&secret))
            .await
    }

    /// Adds a version; what arrives is checked against the checksum of what was sent.
    pub(crate) async fn add_version(&self, key: &str, value: &SecretValue) -> Result<(), Failure> {
        let name = self.secret_name(key).map_err(error::unsent)?;
        let request = self.http.post(self.url(&format!("{name}:addVersion")));
        let body = types::payload(value);
        let request = request.body("application/json", body);
        let _: Added = self.call("AddSecretVersion", &name, request).await?;
        Ok(())
    }

    /// Makes a version readable again.
    pub(crate) async fn enable(&self, key: &str, version: &str) -> Result<(), Failure> {
        let name = self.version_name(key, version).map_err(error::unsent)?;
        let request = self.http.post(self.url(&format!("{name}:enable")));
        let request = request.json(&json!({}));
        let _: Value = self.call("EnableSecretVersion", &name, request).await?;
        Ok(())
    }

    /// Makes a version unreadable, without losing it.
    pub(crate) async fn disable(&self, key: &str, version: &str) -> Result<(), Failure> {
        let name = self.version_name(key, version).map_err(error::unsent)?;
        let request = self.http.post(self.url(&format!("{name}:disable")));
        let request = request.json(&json!({}));
        let _: Value = self.call("DisableSecretVersion", &name, request).await?;
        Ok(())
    }

    pub(crate) async fn delete(&self, key: &str, etag: Option<&str>) -> Result<(), Failure> {
        let name = self.secret_name(key).map_err(error::unsent)?;
        let request = self.http.delete(self.url(&name)).query_some("etag", etag);
        let _: Value = self.call("DeleteSecret", &name, request).await?;
        Ok(())
    }

    fn url(&self, name: &str) -> String {
        format!("{}/v1/{name}", self.base)
    }

    /// Makes one call.
    async fn call<T: DeserializeOwned>(
        &self,
        rpc: &'static str,
        name: &str,
        request: RequestBuilder,
    ) -> Result<T, Failure> {
        let outcome = Box::pin(self.send(rpc, name, request)).await;
        let counted = outcome.as_ref().map(|_| ());
        let counted = counted.map_err(|failure| failure.error.duplicate());
        drop(self.ctx.counted(METRIC, rpc, counted));
        let answer = outcome?;
        answer.json().map_err(error::unsent)
    }

    async fn send(
        &self,
        rpc: &'static str,
        name: &str,
        request: RequestBuilder,
    ) -> Result<Answer, Failure> {
        let token = self.identity.token().await;
        // A credential that cannot be had is no missing secret.
        let token = token.map_err(|error| {
            let error = error.context("unable to get credentials");
            error::unsent(crate::auth::absent_is_invalid(error))
        })?;
        let sent = request.bearer(&token).accept_json().send().await;
        let answer = sent.map_err(error::unsent)?;
        let place = Place {
            rpc,
            name,
            who: self.identity.who(),
        };
        let checked = error::check(answer, &place);
        if let Err(failure) = &checked
            && *failure.error.kind() == ErrorKind::Unauthenticated
        {
            self.identity.forget(&token);
        }
        checked
    }
}
