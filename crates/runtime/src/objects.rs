//! The objects providers resolve credentials from, read live from the API server. Notes what was
//! read at which version, so that a cached connection can be dropped when one of them changes.

use std::collections::BTreeMap;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, ServiceAccount};
use kube::api::PostParams;
use kube::{Client, Resource};
use lockstep_provider_api::context::{LabelledSecret, Objects, TokenRequest};
use lockstep_provider_api::error::{Error, ErrorKind, Result};
use lockstep_provider_api::value::{SecretMap, SecretValue};
use parking_lot::Mutex;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_object::{ApiObject, send};

/// Kind of an object credentials come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A Secret.
    Secret,
    /// A ConfigMap.
    ConfigMap,
    /// A ServiceAccount.
    ServiceAccount,
}

/// An object that was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Read {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// The state an object was read in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It was there at this resourceVersion.
    Version(String),
    /// It was not there.
    Missing,
    /// A token was made for it, which tells no version.
    Token,
}

/// Credential objects of a cluster. Use one value for each connection to know what that one read.
pub struct ClusterObjects {
    client: Client,
    reads: Mutex<BTreeMap<Read, Seen>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    #[serde(default)]
    resource_version: String,
    annotations: Option<BTreeMap<String, String>>,
    labels: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct Stored<T> {
    #[serde(default)]
    metadata: Meta,
    data: Option<BTreeMap<String, T>>,
}

#[derive(Deserialize)]
struct Token {
    status: TokenStatus,
}

#[derive(Deserialize)]
struct TokenStatus {
    token: String,
}

impl ClusterObjects {
    /// Reads through this client.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            reads: Mutex::default(),
        }
    }

    /// What was read so far, in the state it was first seen.
    pub fn reads(&self) -> BTreeMap<Read, Seen> {
        self.reads.lock().clone()
    }

    fn note(&self, kind: Kind, namespace: &str, name: &str, seen: Seen) {
        let read = Read {
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        self.reads.lock().entry(read).or_insert(seen);
    }

    async fn read<K, T>(&self, kind: Kind, namespace: &str, name: &str) -> Result<Stored<T>>
    where
        K: Resource<DynamicType = ()>,
        T: DeserializeOwned,
    {
        let target = ApiObject::of::<K>(Some(namespace), name);
        let stored = target.require::<Stored<T>>(&self.client).await;
        match &stored {
            Ok(stored) => {
                let version = stored.metadata.resource_version.clone();
                self.note(kind, namespace, name, Seen::Version(version));
            }
            Err(failure) if failure.is(ApiErrorKind::NotFound) => {
                self.note(kind, namespace, name, Seen::Missing);
            }
            Err(_) => {}
        }
        Ok(stored?)
    }

    async fn make_token(&self, request: TokenRequest<'_>) -> Result<SecretValue> {
        let (namespace, name) = (request.namespace, request.name);
        let body = json!({
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {
                "audiences": request.audiences,
                "expirationSeconds": request.lifetime.as_secs(),
            },
        });
        let target = ApiObject::of::<ServiceAccount>(Some(namespace), name);
        let params = PostParams::default();
        let body = body.to_string().into_bytes();
        let collection = target.collection();
        let post = collection.create_subresource("token", name, &params, body);
        let made: std::result::Result<Token, ApiError> = send(&self.client, post).await;
        if !made
            .as_ref()
            .is_err_and(|failure| failure.is(ApiErrorKind::Unreachable))
        {
            self.note(Kind::ServiceAccount, namespace, name, Seen::Token);
        }
        Ok(SecretValue::from(made?.status.token))
    }
}

impl Objects for ClusterObjects {
    fn secret<'a>(&'a self, namespace: &'a str, name: &'a str) -> BoxFuture<'a, Result<SecretMap>> {
        async move { Ok(self.labelled_secret(namespace, name).await?.data) }.boxed()
    }

    fn labelled_secret<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<LabelledSecret>> {
        async move {
            let read = self.read::<Secret, ByteString>(Kind::Secret, namespace, name);
            let stored = read.await?;
            let values = stored.data.unwrap_or_default().into_iter();
            Ok(LabelledSecret {
                data: values
                    .map(|(key, value)| (key, SecretValue::new(value.0)))
                    .collect(),
                labels: stored.metadata.labels.unwrap_or_default(),
            })
        }
        .boxed()
    }

    fn config_map<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        async move {
            let read = self.read::<ConfigMap, String>(Kind::ConfigMap, namespace, name);
            Ok(read.await?.data.unwrap_or_default())
        }
        .boxed()
    }

    fn service_account<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        async move {
            let read = self.read::<ServiceAccount, String>(Kind::ServiceAccount, namespace, name);
            Ok(read.await?.metadata.annotations.unwrap_or_default())
        }
        .boxed()
    }

    fn token<'a>(&'a self, request: TokenRequest<'a>) -> BoxFuture<'a, Result<SecretValue>> {
        self.make_token(request).boxed()
    }
}

/// A refusal of the API server in the words of the contract.
impl From<ApiError> for Error {
    fn from(failure: ApiError) -> Self {
        let kind = match failure.kind() {
            ApiErrorKind::NotFound => ErrorKind::NotFound,
            ApiErrorKind::AlreadyExists | ApiErrorKind::Conflict => ErrorKind::Conflict,
            ApiErrorKind::Forbidden | ApiErrorKind::Terminating => ErrorKind::Denied,
            ApiErrorKind::Unauthorized => ErrorKind::Unauthenticated,
            ApiErrorKind::Invalid => ErrorKind::InvalidSpec,
            ApiErrorKind::Throttled => ErrorKind::Throttled,
            ApiErrorKind::Expired | ApiErrorKind::Unreachable => ErrorKind::Unreachable,
            ApiErrorKind::Undecodable => ErrorKind::InvalidData,
        };
        let error = Self::new(kind, failure.to_string());
        match failure.retry_after() {
            Some(delay) => error.with_retry_after(delay),
            None => error,
        }
    }
}
