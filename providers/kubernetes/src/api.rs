//! The requests this provider makes: five on Secrets, and two that ask what we may do. What a
//! Secret means to a caller is decided elsewhere.

use http::Method;
use lockstep_api_server::{Call, Client, List, Resource};
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::json;

use crate::secret::{Secret, Stored};

/// Manager of the fields we write: the one upstream's binary writes under, so that a change of
/// operators does not split their ownership.
pub(crate) const FIELD_MANAGER: &str = "external-secrets";
/// What the requests are about.
const SECRETS: Resource<'_> = Resource {
    group: "",
    version: "v1",
    plural: "secrets",
};

/// What one rule of an access review allows.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Rule {
    verbs: Vec<String>,
    api_groups: Vec<String>,
    resources: Vec<String>,
}

/// The Secrets of an API server.
#[derive(Debug)]
pub(crate) struct Secrets(pub(crate) Client);

impl Secrets {
    /// Reads a Secret, as much of it as `T` wants.
    pub(crate) async fn get<T: DeserializeOwned>(&self, namespace: &str, name: &str) -> Result<T> {
        let path = SECRETS.object(Some(namespace), name)?;
        self.0
            .run(Call::new(Some("GetSecret"), Method::GET, &path).about(SECRETS.plural))
            .await
    }

    /// Reads all Secrets that match a label selector (an empty one matches all) and whose name is
    /// wanted.
    pub(crate) async fn list(
        &self,
        namespace: &str,
        selector: &str,
        is_wanted: impl Fn(&str) -> bool + Sync,
    ) -> Result<Vec<Secret>> {
        let list = List {
            name: Some("ListSecrets"),
            path: &SECRETS.collection(Some(namespace))?,
            selector,
            objects: "Secrets",
        };
        let keep = |secret: Secret| {
            let wanted = is_wanted(&secret.metadata.name);
            let bytes = secret.data.iter().map(|(_, value)| value.len()).sum();
            Ok(wanted.then_some((secret, bytes)))
        };
        self.0.list(list, keep).await
    }

    /// Creates a Secret.
    pub(crate) async fn create(&self, namespace: &str, secret: &Stored) -> Result<()> {
        let path = SECRETS.collection(Some(namespace))?;
        let call = Call::new(Some("CreateSecret"), Method::POST, &path)
            .about(SECRETS.plural)
            .query("fieldManager", FIELD_MANAGER)
            .body(secret.body());
        self.0.run(call).await.map(|_: IgnoredAny| ())
    }

    /// Replaces a Secret; the resource version in its metadata guards against a lost update.
    pub(crate) async fn update(&self, namespace: &str, secret: &Stored) -> Result<()> {
        let path = SECRETS.object(Some(namespace), secret.text("name"))?;
        let call = Call::new(Some("UpdateSecret"), Method::PUT, &path)
            .about(SECRETS.plural)
            .query("fieldManager", FIELD_MANAGER)
            .body(secret.body());
        self.0.run(call).await.map(|_: IgnoredAny| ())
    }

    /// Deletes exactly the Secret that was read: one that changed meanwhile is a conflict.
    pub(crate) async fn delete(&self, namespace: &str, secret: &Stored) -> Result<()> {
        let path = SECRETS.object(Some(namespace), secret.text("name"))?;
        let options = json!({
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "preconditions": {
                "uid": secret.text("uid"),
                "resourceVersion": secret.text("resourceVersion"),
            },
        });
        let call = Call::new(Some("DeleteSecret"), Method::DELETE, &path)
            .about(SECRETS.plural)
            .body(options.to_string().into_bytes());
        self.0.run(call).await.map(|_: IgnoredAny| ())
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
        let status: Status = self.0.review(call, "SelfSubjectRulesReview", spec).await?;
        Ok(status.resource_rules)
    }

    /// Whether we may read Secrets in a namespace, for clusters whose rules cannot be listed.
    pub(crate) async fn may_get_secrets(&self, namespace: &str) -> Result<bool> {
        self.0.may("get", SECRETS, Some(namespace)).await
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
