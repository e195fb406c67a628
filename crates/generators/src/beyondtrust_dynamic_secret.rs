//! `BeyondtrustWorkloadCredentialsDynamicSecret`: cloud credentials that BeyondTrust leases. The API
//! has no call to end a lease, so clean-up has nothing to do; the state only names the path.

use jiff::Timestamp;
use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::http::{Answer, HttpClient, Tls, encode_component};
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector};
use lockstep_provider_api::{
    Ctx, Error, Generated, Generator, Random, Result, SecretMap, SecretValue,
};
use serde::Deserialize;
use serde_json::json;

use crate::refusal::refusal;

const API_VERSION: &str = "2026-04-28";
const API_DOCS: &str = "https://docs.beyondtrust.com/bt-docs/docs/secrets-api";

/// `spec` of a BeyondtrustWorkloadCredentialsDynamicSecret.
#[derive(Deserialize)]
pub(crate) struct Spec {
    provider: Option<Provider>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Provider {
    auth: Option<Auth>,
    server: Option<Server>,
    #[serde(default)]
    folder_path: String,
    ca_bundle: Option<CaBundle>,
    #[serde(rename = "caProvider")]
    ca_source: Option<CaProvider>,
}

#[derive(Deserialize)]
struct Auth {
    apikey: ApiKey,
}

#[derive(Deserialize)]
struct ApiKey {
    token: SecretKeySelector,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Server {
    #[serde(default)]
    api_url: String,
    #[serde(default)]
    site_id: String,
}

#[derive(Deserialize)]
struct Leased {
    secret: Lease,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Lease {
    access_key_id: String,
    secret_access_key: String,
    #[serde(rename = "leaseId")]
    id: String,
    expiration: String,
    session_token: String,
}

pub(crate) struct BeyondtrustDynamicSecret;

impl Generator for BeyondtrustDynamicSecret {
    const KIND: &'static str = "BeyondtrustWorkloadCredentialsDynamicSecret";
    const KEEPS_STATE: bool = true;
    type Spec = Spec;

    async fn generate(spec: Spec, ctx: &Ctx, _: &mut dyn Random) -> Result<Generated> {
        let provider = spec.provider.ok_or_else(|| {
            Error::invalid_spec("no beyondtrustworkloadcredentials provider config in spec")
        })?;
        let path = &provider.folder_path;
        if path.is_empty() {
            return Err(Error::invalid_spec("path is required in spec"));
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name.is_empty() {
            let text = format!("invalid path: missing secret name in {path:?}");
            return Err(Error::invalid_spec(text));
        }
        let opened = open(&provider, ctx).await.map_err(|error| {
            error.context("failed to create BeyondtrustWorkloadCredentials client")
        })?;
        let lease = opened.lease(folder, name).await;
        let lease = lease.map_err(|error| error.context("unable to generate dynamic secret"))?;
        Ok(Generated {
            expires: lease.expiration.parse::<Timestamp>().ok(),
            values: lease.into_values(),
            state: Some(json!({ "path": path })),
        })
    }
}

struct Api {
    http: HttpClient,
    base: String,
    token: SecretValue,
}

async fn open(provider: &Provider, ctx: &Ctx) -> Result<Api> {
    let auth = provider.auth.as_ref();
    let auth = auth.ok_or_else(|| Error::invalid_spec("spec.provider.auth is required"))?;
    let base = provider.server.as_ref().map_or_else(
        || Err(Error::invalid_spec("spec.provider.server is required")),
        Server::base,
    );
    let base = base.map_err(|error| error.context("failed to load server URL configuration"))?;
    let token = ctx.secret(&auth.apikey.token).await;
    let token = token.map_err(|error| error.context("failed to load credentials"))?;
    let ca = ctx.trust(provider.ca_bundle.as_ref(), provider.ca_source.as_ref());
    let tls = Tls {
        ca: ca
            .await
            .map_err(|error| error.context("failed to fetch CA certificate"))?,
        ..Tls::default()
    };
    Ok(Api {
        http: ctx.http(&tls)?,
        base,
        token,
    })
}

impl Server {
    /// Address of the API of a site.
    fn base(&self) -> Result<String> {
        let refused = |text: String| Err(Error::invalid_spec(format!("invalid apiUrl: {text}")));
        match self.api_url.split_once("://") {
            _ if self.api_url.is_empty() => return refused("apiUrl cannot be empty".to_owned()),
            None => return refused("apiUrl must include a scheme (https)".to_owned()),
            Some(("https", host)) if !host.is_empty() => {}
            Some(("https", _)) => return refused("apiUrl must include a host".to_owned()),
            Some((scheme, _)) => {
                return refused(format!("apiUrl must use https scheme, got {scheme:?}"));
            }
        }
        if !is_uuid(&self.site_id) {
            return Err(Error::invalid_spec(format!(
                "invalid siteId: siteId must be a valid UUID format, got {:?}",
                self.site_id
            )));
        }
        let api = self.api_url.trim_end_matches('/');
        Ok(format!("{api}/{}/secrets", self.site_id))
    }
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let hex = |part: &&str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    lengths == [8, 4, 4, 4, 12] && parts.iter().all(hex)
}

impl Api {
    async fn lease(&self, folder: &str, name: &str) -> Result<Lease> {
        let url = format!("{}/dynamic/{}/generate", self.base, encode_component(name));
        let request = self
            .http
            .post(url)
            .query_some("folder", Some(folder).filter(|f| !f.is_empty()));
        let request = request
            .bearer(&self.token)
            .header("bt-secrets-api-version", API_VERSION)
            .header("content-type", "application/json")
            .accept_json();
        let answer = request.send().await?;
        let place = if folder.is_empty() { "/" } else { folder };
        if let Some(error) = refusal(&answer, |status| {
            let said = said(&answer);
            format!("API error (HTTP {status}): {said} at path {place:?} (see {API_DOCS})")
        }) {
            return Err(error);
        }
        Ok(answer.json::<Leased>()?.secret)
    }
}

fn said(answer: &Answer) -> String {
    match (answer.detail("/error"), answer.detail("/message")) {
        (Some(error), Some(message)) => format!("{error}: {message}"),
        (Some(text), None) | (None, Some(text)) => text,
        (None, None) => "unexpected response".to_owned(),
    }
}

impl Lease {
    fn into_values(self) -> SecretMap {
        let mut values = SecretMap::from_iter([
            (
                "accessKeyId".to_owned(),
                SecretValue::from(self.access_key_id),
            ),
            (
                "secretAccessKey".to_owned(),
                SecretValue::from(self.secret_access_key),
            ),
            ("leaseId".to_owned(), SecretValue::from(self.id)),
            ("expiration".to_owned(), SecretValue::from(self.expiration)),
        ]);
        if !self.session_token.is_empty() {
            values.insert("sessionToken", SecretValue::from(self.session_token));
        }
        values
    }
}

#[cfg(test)]
mod tests;
