//! The provider keeps the contract, on an API server in memory.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

#[path = "it/server.rs"]
#[expect(
    dead_code,
    reason = "the suite needs less of the server than the other tests"
)]
mod server;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, Subject, block_on, response, run,
};
use lockstep_provider_api::http::Transport;
use lockstep_provider_api::json::to_json_object;
use lockstep_provider_api::{PushTarget, RemoteRef, SecretMap, SecretValue};
use lockstep_provider_kubernetes::Kubernetes;
use serde_json::{Value, json};
use server::{Server, status};

const REMOTE: &str = "remote";
/// Key of every Secret the suite makes.
const KEY: &str = "value";

struct KubernetesSubject {
    server: Server,
}

impl Subject for KubernetesSubject {
    type Provider = Kubernetes;

    fn spec(&self) -> Value {
        json!({
            "server": { "url": "https://api.test:6443" },
            "auth": { "serviceAccount": { "name": "reader" } },
            "remoteNamespace": REMOTE,
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_service_account(NAMESPACE, "reader", BTreeMap::new());
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        Some(self.server.transport())
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        self.server.put(REMOTE, key, &[(KEY, value.expose())]);
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property(KEY)
    }

    fn target(&self, key: &str) -> PushTarget {
        PushTarget {
            remote_key: key.to_owned(),
            property: Some(KEY.to_owned()),
            metadata: None,
        }
    }

    /// A search gives whole Secrets as JSON.
    fn found(&self, value: &SecretValue) -> SecretValue {
        to_json_object(&SecretMap::from_iter([(KEY.to_owned(), value.clone())]))
    }

    fn refusal(&self, code: u16) -> Response<Bytes> {
        let reason = if code == 404 { "NotFound" } else { "Other" };
        let (code, mut body) = status(code, reason, "secrets", "the server says no");
        body["details"]["causes"] = json!([{ "message": CANARY }]);
        response(code, body.to_string())
    }
}

#[test]
fn kubernetes_keeps_the_contract() {
    let server = Server::default();
    server.page_by(10);

    let report = block_on(run(&KubernetesSubject { server }));

    report.assert_passed();
    assert!(report.skipped().is_empty(), "{report}");
}
