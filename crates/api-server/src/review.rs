//! Access reviews: the requests that ask an API server what the signed-in identity may do. What
//! follows from the answer is decided by the provider that asked.

use http::Method;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::client::{Call, Client};
use crate::path::Resource;

impl Client {
    /// Whether we may do `verb` on a resource of a namespace or, without one, of the whole cluster.
    pub async fn may(
        &self,
        verb: &str,
        resource: Resource<'_>,
        namespace: Option<&str>,
    ) -> Result<bool> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Status {
            allowed: bool,
        }
        let wanted = json!({
            "namespace": namespace.unwrap_or_default(),
            "group": resource.group,
            "version": resource.version,
            "resource": resource.plural,
            "verb": verb,
        });
        let spec = json!({ "resourceAttributes": wanted });
        let status: Status = self.review(None, "SelfSubjectAccessReview", spec).await?;
        Ok(status.allowed)
    }

    /// The status of a review. `name` is that of the call in the request metric.
    pub async fn review<T: DeserializeOwned>(
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
