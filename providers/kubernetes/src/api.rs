//! The requests this provider makes: five on Secrets, and two that ask what we may do. What a
//! Secret means to a caller is decided elsewhere.

use std::sync::atomic::{AtomicUsize, Ordering};

use http::Method;
use lockstep_provider_api::http::{Page, pages};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};

use crate::client::{Call, Client};
use crate::error::{is_expired, is_unusable};
use crate::path;
use crate::secret::{Secret, SecretList, Stored};

/// Manager of the fields we write: the one upstream's binary writes under, so that a change of
/// operators does not split their ownership.
pub(crate) const FIELD_MANAGER: &str = "external-secrets";
/// Secrets in one page of a list. Few enough that a page of ordinary Secrets stays small; those of
/// Helm releases have up to a megabyte each.
const PAGE: usize = 100;
/// Bytes of values that one list may find; an object can use less.
const MOST_FOUND: usize = 16 * 1024 * 1024;

/// What one rule of an access review allows.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Rule {
    verbs: Vec<String>,
    api_groups: Vec<String>,
    resources: Vec<String>,
}

impl Client {
    /// Reads a Secret, as much of it as `T` wants.
    pub(crate) async fn get<T: DeserializeOwned>(&self, namespace: &str, name: &str) -> Result<T> {
        let path = path::secret(namespace, name)?;
        self.run(Call::new(Some("GetSecret"), Method::GET, &path))
            .await
    }

    /// Reads all Secrets that match a label selector (an empty one matches all) and whose name is
    /// wanted. Others are dropped page by page, so a large namespace is never in memory as a whole.
    pub(crate) async fn list(
        &self,
        namespace: &str,
        selector: &str,
        is_wanted: impl Fn(&str) -> bool + Sync,
    ) -> Result<Vec<Secret>> {
        let path = path::secrets(namespace)?;
        match self.list_pages(&path, selector, &is_wanted).await {
            // The server has forgotten where this list was.
            Err(error) if is_expired(&error) => self.list_pages(&path, selector, &is_wanted).await,
            listed => listed,
        }
    }

    async fn list_pages(
        &self,
        path: &str,
        selector: &str,
        is_wanted: &(impl Fn(&str) -> bool + Sync),
    ) -> Result<Vec<Secret>> {
        let (limit, found) = (&AtomicUsize::new(PAGE), &AtomicUsize::new(0));
        pages(|next: Option<String>| async move {
            let list = self
                .list_page(path, selector, &next.unwrap_or_default(), limit)
                .await?;
            let mut items = list.items;
            items.retain(|secret| is_wanted(&secret.metadata.name));
            let values = items.iter().flat_map(|secret| secret.data.iter());
            let bytes: usize = values.map(|(_, value)| value.len()).sum();
            if found.fetch_add(bytes, Ordering::Relaxed) + bytes > MOST_FOUND {
                return Err(Error::invalid_data(format!(
                    "the Secrets found have more than {MOST_FOUND} bytes: ask for fewer"
                )));
            }
            Ok(Page {
                items,
                next: Some(list.metadata.next),
            })
        })
        .await
    }

    /// Reads a page; one that is too large for an answer is asked for again in smaller pieces.
    async fn list_page(
        &self,
        path: &str,
        selector: &str,
        next: &str,
        limit: &AtomicUsize,
    ) -> Result<SecretList> {
        loop {
            let count = limit.load(Ordering::Relaxed);
            let text = count.to_string();
            let call = Call::new(Some("ListSecrets"), Method::GET, path)
                .query("labelSelector", selector)
                .query("limit", &text)
                .query("continue", next);
            match self.run(call).await {
                Err(error) if is_unusable(&error) && count > 1 => {
                    limit.store(count.div_ceil(8), Ordering::Relaxed);
                }
                listed => return listed,
            }
        }
    }

    /// Creates a Secret.
    pub(crate) async fn create(&self, namespace: &str, secret: &Stored) -> Result<()> {
        let path = path::secrets(namespace)?;
        let call = Call::new(Some("CreateSecret"), Method::POST, &path)
            .query("fieldManager", FIELD_MANAGER)
            .body(secret.body());
        self.run(call).await.map(|_: IgnoredAny| ())
    }

    /// Replaces a Secret; the resource version in its metadata guards against a lost update.
    pub(crate) async fn update(&self, namespace: &str, secret: &Stored) -> Result<()> {
        let path = path::secret(namespace, secret.text("name"))?;
        let call = Call::new(Some("UpdateSecret"), Method::PUT, &path)
            .query("fieldManager", FIELD_MANAGER)
            .body(secret.body());
        self.run(call).await.map(|_: IgnoredAny| ())
    }

    /// Deletes exactly the Secret that was read: one that changed meanwhile is a conflict.
    pub(crate) async fn delete(&self, namespace: &str, secret: &Stored) -> Result<()> {
        let path = path::secret(namespace, secret.text("name"))?;
        let options = json!({
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "preconditions": {
                "uid": secret.text("uid"),
                "resourceVersion": secret.text("resourceVersion"),
            },
        });
        let call = Call::new(Some("DeleteSecret"), Method::DELETE, &path)
            .body(options.to_string().into_bytes());
        self.run(call).await.map(|_: IgnoredAny| ())
    }

    /// The rules that hold for us in a namespace.
    pub(crate) async fn rules(&self, namespace: &str) -> Result<Vec<Rule>> {
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        struct Status {
            resource_rules: Vec<Rule>,
        }
        let spec = json!({ "namespace": namespace });
        let call = Some("CreateSelfSubjectRulesReview");
        let status: Status = self.review(call, "SelfSubjectRulesReview", spec).await?;
        Ok(status.resource_rules)
    }

    /// Whether we may read Secrets in a namespace, for clusters whose rules cannot be listed.
    pub(crate) async fn may_get_secrets(&self, namespace: &str) -> Result<bool> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Status {
            allowed: bool,
        }
        let wanted = json!({ "namespace": namespace, "resource": "secrets", "verb": "get" });
        let spec = json!({ "resourceAttributes": wanted });
        let status: Status = self.review(None, "SelfSubjectAccessReview", spec).await?;
        Ok(status.allowed)
    }

    async fn review<T: DeserializeOwned>(
        &self,
        name: Option<&'static str>,
        kind: &str,
        spec: Value,
    ) -> Result<T> {
        #[derive(Deserialize)]
        struct Review<T> {
            status: T,
        }
        let path = format!("/apis/authorization.k8s.io/v1/{}s", kind.to_lowercase());
        let body = json!({ "apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": spec });
        let call = Call::new(name, Method::POST, &path).body(body.to_string().into_bytes());
        let answer: Review<T> = self.run(call).await?;
        Ok(answer.status)
    }
}

impl Rule {
    /// Whether the rule allows reading Secrets.
    pub(crate) fn allows_reading_secrets(&self) -> bool {
        let has = |list: &[String], wanted: &str| list.iter().any(|e| e == wanted || e == "*");
        has(&self.resources, "secrets")
            && has(&self.verbs, "get")
            && (self.api_groups.is_empty() || has(&self.api_groups, ""))
    }
}
