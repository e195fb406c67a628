//! Asks the API server who bears a token and whether that user may read a path, as upstream's
//! `--metrics-auth` does. Answers are kept for a short while, so that a scraper does not cost two
//! requests each time.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use k8s_openapi::api::authentication::v1::{TokenReview, UserInfo};
use k8s_openapi::api::authorization::v1::SubjectAccessReview;
use kube::{Client, Resource};
use parking_lot::Mutex;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::api_error::ApiError;
use crate::api_object::{ApiObject, send};
use crate::clock::Stopwatch;
use crate::serve::{Access, Authorize};

/// How long an answer holds.
const KEPT: Duration = Duration::from_secs(30);

/// Answers kept at most.
const ANSWERS: usize = 256;

/// Authorisation by TokenReview and SubjectAccessReview.
pub struct ClusterAuthorize {
    client: Client,
    hasher: RandomState,
    known: Mutex<HashMap<u64, (Access, Stopwatch)>>,
}

#[derive(Deserialize)]
struct Reviewed<T> {
    status: T,
}

#[derive(Deserialize)]
struct Bearer {
    #[serde(default)]
    authenticated: bool,
    #[serde(default)]
    user: UserInfo,
}

#[derive(Deserialize)]
struct Verdict {
    #[serde(default)]
    allowed: bool,
}

impl ClusterAuthorize {
    /// Asks through this client, which needs the right to create both reviews.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            hasher: RandomState::new(),
            known: Mutex::default(),
        }
    }

    async fn ask(&self, token: &str, path: &str) -> Result<Access, ApiError> {
        let question = json!({"token": token});
        let bearer: Bearer = self.review::<TokenReview, _>(question).await?;
        if !bearer.authenticated {
            return Ok(Access::Unknown);
        }
        let user = bearer.user;
        let question = json!({
            "user": user.username.unwrap_or_default(),
            "uid": user.uid.unwrap_or_default(),
            "groups": user.groups.unwrap_or_default(),
            "extra": user.extra.unwrap_or_default(),
            "nonResourceAttributes": {"path": path, "verb": "get"},
        });
        let verdict: Verdict = self.review::<SubjectAccessReview, _>(question).await?;
        Ok(if verdict.allowed {
            Access::Granted
        } else {
            Access::Denied
        })
    }

    async fn review<K, T>(&self, spec: Value) -> Result<T, ApiError>
    where
        K: Resource<DynamicType = ()>,
        T: DeserializeOwned,
    {
        let body = json!({
            "apiVersion": K::api_version(&()), "kind": K::kind(&()),
            "metadata": {}, "spec": spec,
        });
        let collection = ApiObject::of::<K>(None, "").collection();
        let request = collection.create(&kube::api::PostParams::default(), body.to_string().into());
        let reviewed: Reviewed<T> = send(&self.client, request).await?;
        Ok(reviewed.status)
    }

    fn known(&self, mark: u64) -> Option<Access> {
        let known = self.known.lock();
        let (access, since) = known.get(&mark)?;
        (since.elapsed() < KEPT).then_some(*access)
    }

    fn keep(&self, mark: u64, access: Access) {
        let mut known = self.known.lock();
        known.retain(|_, (_, since)| since.elapsed() < KEPT);
        if known.len() < ANSWERS {
            known.insert(mark, (access, Stopwatch::start()));
        }
    }
}

impl Authorize for ClusterAuthorize {
    fn access<'a>(
        &'a self,
        token: &'a str,
        path: &'a str,
    ) -> BoxFuture<'a, Result<Access, String>> {
        async move {
            let mark = self.hasher.hash_one((token, path));
            if let Some(access) = self.known(mark) {
                return Ok(access);
            }
            let access = self.ask(token, path).await;
            let access = access.map_err(|failure| failure.to_string())?;
            self.keep(mark, access);
            Ok(access)
        }
        .boxed()
    }
}
