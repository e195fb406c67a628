//! The provider against a real OpenBao server: the contract, and what differs from Vault.

use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, Subject, response, run,
};
use lockstep_provider_api::http::{StatusCode, Tls, Transport, Transports, kind_of};
use lockstep_provider_api::json::to_json_object_escaped;
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, RemoteRef, SecretMap, SecretValue};
use lockstep_provider_openbao::OpenBao;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::bao::{Bao, ROOT};
use serde_json::{Value, json};

/// An engine on a server of its own. Values are the member `value` of their secret.
struct OpenBaoSubject {
    bao: Bao,
    transport: Arc<dyn Transport>,
}

impl Subject for OpenBaoSubject {
    type Provider = OpenBao;

    fn spec(&self) -> Value {
        json!({
            "server": self.bao.url(),
            "auth": { "tokenSecretRef": { "name": "creds", "key": "token" } },
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "creds", "token", ROOT);
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        Some(Arc::clone(&self.transport))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value
            .expose_utf8()
            .map_err(|_| "the server holds text only")?;
        let seeded = self.bao.put(key, &json!({ "value": text }));
        seeded.map_err(|_| "the server does not take the name")
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property("value")
    }

    fn found(&self, value: &SecretValue) -> SecretValue {
        to_json_object_escaped(&SecretMap::from_iter([("value".to_owned(), value.clone())]))
    }

    /// Refusals as the server words them: a policy that denies is not a token that ended.
    fn refusal(&self, status: u16) -> Response<Bytes> {
        let errors = match status {
            403 => json!(["1 error occurred:\n\t* permission denied\n\n"]),
            404 => json!([]),
            _ => json!(["no"]),
        };
        let body = json!({ "errors": errors, "data": { "value": CANARY } });
        response(status, body.to_string())
    }

    /// Nothing is absent while the mount does not show itself either.
    fn expected(&self, _: Call, status: u16) -> Option<ErrorKind> {
        match status {
            400 => Some(ErrorKind::InvalidData),
            404 => Some(ErrorKind::InvalidSpec),
            412 => Some(ErrorKind::Unreachable),
            status => kind_of(StatusCode::from_u16(status).ok()?),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn openbao_keeps_the_contract() {
    let transports = HttpTransports::new(Settings::default());

    let report = run(&OpenBaoSubject {
        bao: Bao::start().unwrap(),
        transport: transports.connect(&Tls::default()).unwrap(),
    })
    .await;

    report.assert_passed();
}
