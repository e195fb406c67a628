//! Names one object of any kind and sends requests about it. Answers are decoded here and not by
//! the client library, which would log an answer it cannot decode together with its secret values.

use http::Request as HttpRequest;
use kube::api::{GetParams, ListParams};
use kube::core::{ApiResource, DynamicObject, Request, Selector};
use kube::{Client, Resource};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::api_error::{ApiError, ApiErrorKind, redacted};

/// One object of the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiObject {
    /// Path of the collection.
    path: String,
    name: String,
}

/// What most writers want to know of the object they wrote. Decodes from any object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "AnyObject")]
pub struct Written {
    /// Unique id.
    pub uid: String,
    /// Version after the write.
    pub resource_version: String,
    /// Generation after the write.
    pub generation: i64,
}

#[derive(Deserialize)]
struct AnyObject {
    #[serde(default)]
    metadata: AnyMeta,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AnyMeta {
    uid: String,
    resource_version: String,
    generation: i64,
}

impl From<AnyObject> for Written {
    fn from(object: AnyObject) -> Self {
        let AnyMeta {
            uid,
            resource_version,
            generation,
        } = object.metadata;
        Self {
            uid,
            resource_version,
            generation,
        }
    }
}

impl ApiObject {
    /// An object of a kind known at compile time; no namespace for cluster-scoped kinds.
    pub fn of<K: Resource<DynamicType = ()>>(namespace: Option<&str>, name: &str) -> Self {
        Self {
            path: K::url_path(&(), namespace),
            name: name.to_owned(),
        }
    }

    /// An object of a kind found at run time.
    pub fn dynamic(resource: &ApiResource, namespace: Option<&str>, name: &str) -> Self {
        Self {
            path: DynamicObject::url_path(resource, namespace),
            name: name.to_owned(),
        }
    }

    /// Name of the object.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads the object from the server; nothing when it is not there.
    pub async fn get<T: DeserializeOwned>(&self, client: &Client) -> Result<Option<T>, ApiError> {
        match self.require(client).await {
            Ok(object) => Ok(Some(object)),
            Err(failure) if failure.is(ApiErrorKind::NotFound) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Reads the object from the server; its absence is a failure with the server's text.
    pub async fn require<T: DeserializeOwned>(&self, client: &Client) -> Result<T, ApiError> {
        let request = self.collection().get(&self.name, &GetParams::default());
        send(client, request).await
    }

    pub(crate) fn collection(&self) -> Request {
        Request::new(&self.path)
    }
}

/// Objects in the first page of a list; pages grow while they are small.
const FIRST_PAGE: u32 = 8;
/// Objects in the largest page.
const LARGEST_PAGE: u32 = 512;
/// Bytes below which the next page may be larger.
const SMALL_PAGE: usize = 256 * 1024;
/// Bytes that all pages of a list may have together.
const MOST_LISTED: usize = 16 * 1024 * 1024;

/// Objects of a kind in a namespace that a selector matches, read in pages.
pub async fn list<K>(
    client: &Client,
    namespace: &str,
    selector: &Selector,
) -> Result<Vec<K>, ApiError>
where
    K: Resource<DynamicType = ()> + DeserializeOwned,
{
    let params = ListParams::default().labels_from(selector);
    list_pages(
        client,
        &K::url_path(&(), Some(namespace)),
        params,
        MOST_LISTED,
    )
    .await
}

/// All objects of a kind in a namespace, or in all of them, read in pages: for commands that look at
/// everything once. Processes that stay watch instead.
pub async fn list_all<K>(client: &Client, namespace: Option<&str>) -> Result<Vec<K>, ApiError>
where
    K: Resource<DynamicType = ()> + DeserializeOwned,
{
    let path = K::url_path(&(), namespace);
    list_pages(client, &path, ListParams::default(), usize::MAX).await
}

/// All objects of a kind found at run time, in a namespace or in all of them.
pub async fn list_dynamic(
    client: &Client,
    resource: &ApiResource,
    namespace: Option<&str>,
) -> Result<Vec<DynamicObject>, ApiError> {
    let path = DynamicObject::url_path(resource, namespace);
    list_pages(client, &path, ListParams::default(), usize::MAX).await
}

/// Reads pages until there is no other one, or until they have too many bytes.
async fn list_pages<K: DeserializeOwned>(
    client: &Client,
    path: &str,
    mut params: ListParams,
    most: usize,
) -> Result<Vec<K>, ApiError> {
    let (mut all, mut bytes, mut page) = (Vec::new(), 0, FIRST_PAGE);
    params = params.limit(page);
    loop {
        let request = Request::new(path).list(&params);
        let text = client
            .request_text(request.map_err(kube::Error::BuildRequest)?)
            .await?;
        let items: Items<K> = decode(&text)?;
        all.extend(items.items);
        let Some(next) = items.metadata.next.filter(|next| !next.is_empty()) else {
            return Ok(all);
        };
        bytes += text.len();
        if bytes > most {
            return Err(ApiError::undecodable(format!(
                "the labels match more than {most} bytes of objects: select fewer"
            )));
        }
        if text.len() < SMALL_PAGE {
            page = (page * 4).min(LARGEST_PAGE);
        }
        params = params.limit(page).continue_token(&next);
    }
}

#[derive(Deserialize)]
struct Items<K> {
    #[serde(default)]
    metadata: ItemsMeta,
    items: Vec<K>,
}

#[derive(Default, Deserialize)]
struct ItemsMeta {
    #[serde(default, rename = "continue")]
    next: Option<String>,
}

/// Sends a request and decodes its answer.
pub(crate) async fn send<T: DeserializeOwned>(
    client: &Client,
    request: Result<HttpRequest<Vec<u8>>, kube::core::request::Error>,
) -> Result<T, ApiError> {
    let request = request.map_err(kube::Error::BuildRequest)?;
    let text = client.request_text(request).await?;
    decode(&text)
}

fn decode<T: DeserializeOwned>(text: &str) -> Result<T, ApiError> {
    serde_json::from_str(text).map_err(|error| {
        let text = redacted(&error);
        ApiError::undecodable(format!(
            "the API server's answer cannot be understood: {text}"
        ))
    })
}
