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
use lockstep_provider_api::{RemoteRef, SecretValue};
use lockstep_provider_crd::Crd;
use serde_json::{Value, json};
use server::{Server, status};

struct CrdSubject {
    server: Server,
}

impl Subject for CrdSubject {
    type Provider = Crd;

    fn spec(&self) -> Value {
        json!({
            "server": { "url": "https://api.test:6443" },
            "auth": { "serviceAccount": { "name": "reader" } },
            "resource": { "group": "", "version": "v1", "kind": "ConfigMap" },
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_service_account(NAMESPACE, "reader", BTreeMap::new());
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        Some(self.server.transport())
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "a ConfigMap holds text")?;
        self.server.put(NAMESPACE, key, "value", text);
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property("data.value")
    }

    /// A search gives whole objects; the suite's values end with their key.
    fn found(&self, value: &SecretValue) -> SecretValue {
        let text = value.expose_utf8().unwrap();
        let name = text.rsplit(' ').next().unwrap();
        let object = json!({
            "apiVersion": "v1",
            "data": { "value": text },
            "kind": "ConfigMap",
            "metadata": { "labels": { "name": name }, "name": name, "namespace": NAMESPACE },
        });
        SecretValue::from(object.to_string())
    }

    fn refusal(&self, code: u16) -> Response<Bytes> {
        let reason = if code == 404 { "NotFound" } else { "Other" };
        let (code, mut body) = status(code, reason, "configmaps");
        body["details"]["causes"] = json!([{ "message": CANARY }]);
        response(code, body.to_string())
    }
}

#[test]
fn crd_keeps_the_contract() {
    let server = Server::default();

    let report = block_on(run(&CrdSubject { server }));

    report.assert_passed();
}
