//! The requests this provider makes and the answers it understands. What a failure means is decided
//! in `error`, in which order writes are made in `push`.

use lockstep_provider_api::http::{Method, Page, RequestBuilder, Tls, encode_component, pages};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::base64::{Encoding, decode, encode};
use lockstep_provider_kit::error::not_absence;
use lockstep_provider_kit::{Address, Rest, pager};
use serde::Deserialize;
use serde_json::json;

use crate::auth;
use crate::error;
use crate::key::{Key, Name};
use crate::spec::ScalewaySpec;

/// The metric's label.
const PROVIDER: &str = "Scaleway";
const DEFAULT_URL: &str = "https://api.scaleway.com";
const PAGE: usize = 50;
/// Leaves the type of secrets open, in lists and for new ones.
const UNKNOWN_TYPE: &str = "unknown_type";
/// The version that references without one mean.
const LATEST_ENABLED: &str = "latest_enabled";

/// A connection to a region.
pub(crate) struct Api {
    rest: Rest,
    project: String,
}

/// A secret without its value.
#[derive(Deserialize)]
pub(crate) struct Secret {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) name: String,
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    secrets: Vec<Secret>,
    #[serde(default)]
    total_count: usize,
}

#[derive(Deserialize)]
struct Version {
    revision: u32,
}

#[derive(Deserialize)]
struct Accessed {
    /// Base64; an empty version may have none.
    #[serde(default)]
    data: Option<String>,
}

/// What a list selects at the server.
#[derive(Clone, Copy, Default)]
pub(crate) struct Selection<'a> {
    pub(crate) folder: Option<&'a str>,
    pub(crate) tags: &'a [&'a str],
}

impl Api {
    /// Resolves credentials.
    pub(crate) async fn connect(spec: &ScalewaySpec, ctx: &Ctx) -> Result<Self> {
        let auth = auth::connect(spec, ctx).await?;
        let url = spec.api_url.as_deref().filter(|url| !url.is_empty());
        let url = url.unwrap_or(DEFAULT_URL);
        if url.ends_with('/') {
            return Err(Error::invalid_spec(format!(
                "scaleway-sdk-go: invalid API url '{url}' it should not have a trailing slash"
            )));
        }
        let region = encode_component(&spec.region);
        let base = format!("{url}/secret-manager/v1beta1/regions/{region}");
        let base = Address::new("spec.provider.scaleway.apiUrl", &base)?;
        let rest = Rest::new(ctx, PROVIDER, base, &Tls::default())?;
        Ok(Self {
            rest: rest.signed(auth),
            project: spec.project_id.clone(),
        })
    }

    /// Whether secrets may be listed.
    pub(crate) async fn check(&self) -> Result<()> {
        let request = self.listing(1, 0);
        let answer = self.rest.send("ListSecrets", request, error::check).await;
        answer.map(drop).map_err(not_absence)
    }

    /// The secret of a name; `None` where there is none.
    pub(crate) async fn named(&self, name: &Name) -> Result<Option<Secret>> {
        let request = self.listing(1, 1);
        let request = request.query("name", &name.name);
        let request = request.query_some("path", name.folder.as_deref());
        let answer = self.rest.send("ListSecrets", request, error::check).await;
        // Nothing is said of the secret when the project cannot be listed.
        let listed: Listed = answer.map_err(not_absence)?.json()?;
        Ok(listed.secrets.into_iter().next())
    }

    /// All selected secrets.
    pub(crate) async fn list(&self, selection: Selection<'_>) -> Result<Vec<Secret>> {
        let listed = pages(async |token: Option<String>| {
            let page = pager::page_number(token.as_deref());
            let mut request = self.listing(page, PAGE);
            request = request.query_some("path", selection.folder);
            for tag in selection.tags {
                request = request.query("tags", tag);
            }
            let answer = self.rest.send("ListSecrets", request, error::check).await?;
            let listed: Listed = answer.json()?;
            let more = page.saturating_mul(PAGE) < listed.total_count;
            Ok(Page {
                items: listed.secrets,
                next: more.then(|| (page + 1).to_string()),
            })
        });
        listed.await.map_err(not_absence)
    }

    /// The value of a reference. The revision is asked for first, as upstream does, unless both the
    /// id and a number are given.
    pub(crate) async fn read(&self, key: &Key, version: Option<&str>) -> Result<SecretValue> {
        let version = version.unwrap_or(LATEST_ENABLED);
        let id = match (key, number(version)) {
            (Key::Id(id), Some(revision)) => return self.access(id, &revision.to_string()).await,
            (Key::Id(id), None) => id.clone(),
            (Key::Name(name), _) => self.named(name).await?.ok_or_else(Error::not_found)?.id,
        };
        let revision = self.revision(&id, version).await?;
        self.access(&id, &revision.to_string()).await
    }

    /// The newest enabled value of a secret.
    pub(crate) async fn newest(&self, id: &str) -> Result<SecretValue> {
        self.access(id, LATEST_ENABLED).await
    }

    /// The number of a version such as `latest`.
    pub(crate) async fn revision(&self, id: &str, version: &str) -> Result<u32> {
        let path = format!("{}/{}", versions(id), encode_component(version));
        let request = self.rest.get(&path);
        let answer = self.rest.send("GetSecretVersion", request, error::check);
        Ok(answer.await?.json::<Version>()?.revision)
    }

    /// The value of one version.
    pub(crate) async fn access(&self, id: &str, version: &str) -> Result<SecretValue> {
        let path = format!("{}/{}/access", versions(id), encode_component(version));
        let request = self.rest.get(&path);
        let answer = self.rest.send("AccessSecretVersion", request, error::check);
        let accessed: Accessed = answer.await?.json()?;
        let data = accessed.data.unwrap_or_default();
        let value = decode(Encoding::Standard, data.as_bytes());
        let value = value.map_err(|_| Error::invalid_data("the version's data is no base64"))?;
        Ok(SecretValue::new(value))
    }

    /// Makes a secret without a version and gives its id.
    pub(crate) async fn create(&self, name: &Name) -> Result<String> {
        let body = json!({
            "project_id": self.project,
            "name": name.name,
            "path": name.folder_or_root(),
            "type": UNKNOWN_TYPE,
        });
        let request = self.rest.post("/secrets").json(&body);
        let answer = self.rest.send("CreateSecret", request, error::check);
        let secret: Secret = answer.await.map_err(not_absence)?.json()?;
        Ok(secret.id)
    }

    /// Adds a version.
    pub(crate) async fn add_version(&self, id: &str, value: &SecretValue) -> Result<()> {
        let data = encode(Encoding::Standard, value.expose());
        let request = self.rest.post(&versions(id)).json(&json!({ "data": data }));
        let answer = self.rest.send("CreateSecretVersion", request, error::check);
        answer.await.map(drop)
    }

    /// Disables a version.
    pub(crate) async fn disable(&self, id: &str, revision: u32) -> Result<()> {
        let path = format!("{}/{revision}/disable", versions(id));
        let request = self.rest.post(&path).json(&json!({}));
        let answer = self
            .rest
            .send("DisableSecretVersion", request, error::check);
        answer.await.map(drop)
    }

    /// Deletes a secret with all its versions.
    pub(crate) async fn delete(&self, id: &str) -> Result<()> {
        let path = format!("/secrets/{}", encode_component(id));
        let request = self.rest.request(Method::DELETE, &path);
        let answer = self.rest.send("DeleteSecret", request, error::check);
        answer.await.map(drop)
    }

    fn listing(&self, page: usize, size: usize) -> RequestBuilder {
        let request = self.rest.get("/secrets");
        request
            .query("order_by", "name_asc")
            .query("page", &page.to_string())
            .query("page_size", &size.to_string())
            .query("project_id", &self.project)
            .query("scheduled_for_deletion", "false")
            .query("type", UNKNOWN_TYPE)
    }
}

/// The number that a version is written as.
fn number(version: &str) -> Option<u32> {
    version
        .starts_with(|c: char| c.is_ascii_digit())
        .then(|| version.parse().ok())?
}

fn versions(id: &str) -> String {
    format!("/secrets/{}/versions", encode_component(id))
}
