//! `BeyondtrustWorkloadCredentialsDynamicSecret`: cloud credentials that BeyondTrust leases. The API
//! has no call to end a lease, so clean-up has nothing to do; the state only names the path.

use jiff::Timestamp;
use lockstep_provider_api::ca::CaBundle;
use lockstep_provider_api::http::{Method, Tls, encode_component};
use lockstep_provider_api::selector::{CaProvider, SecretKeySelector};
use lockstep_provider_api::{
    Ctx, Error, Generated, Generator, Random, Result, SecretMap, SecretValue,
};
use lockstep_provider_kit::workload_credentials::{Site, site_address};
use serde::Deserialize;
use serde_json::json;

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
        let lease = lease(&opened, folder, name).await;
        let lease = lease.map_err(|error| error.context("unable to generate dynamic secret"))?;
        Ok(Generated {
            expires: lease.expiration.parse::<Timestamp>().ok(),
            values: lease.into_values(),
            state: Some(json!({ "path": path })),
        })
    }
}

async fn open(provider: &Provider, ctx: &Ctx) -> Result<Site> {
    let auth = provider.auth.as_ref();
    let auth = auth.ok_or_else(|| Error::invalid_spec("spec.provider.auth is required"))?;
    let base = provider.server.as_ref().map_or_else(
        || Err(Error::invalid_spec("spec.provider.server is required")),
        |server| site_address(&server.api_url, &server.site_id),
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
    Site::new(ctx, base, token, &tls)
}

async fn lease(site: &Site, folder: &str, name: &str) -> Result<Lease> {
    let path = format!("/dynamic/{}/generate", encode_component(name));
    let place = if folder.is_empty() { "/" } else { folder };
    let query = [("folder", folder)];
    let answer = site.send(Method::POST, &path, &query, place).await?;
    Ok(answer.json::<Leased>()?.secret)
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
