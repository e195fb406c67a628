//! Both versions of the engine keep the contract.

use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, Subject, response, run,
};
use lockstep_provider_api::http::{Tls, Transport, Transports};
use lockstep_provider_api::json::to_json_object_escaped;
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, PushTarget, RemoteRef, SecretMap, SecretValue};
use lockstep_provider_vault::Vault;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::bao::{Bao, ROOT};
use serde_json::{Value, json};

/// An engine on a server of its own. Values are the member `value` of their secret.
struct VaultSubject {
    version: u8,
    bao: Bao,
    transport: Arc<dyn Transport>,
}

impl VaultSubject {
    fn new(version: u8) -> Self {
        let bao = Bao::start().unwrap();
        bao.mount("old", 1).unwrap();
        let transports = HttpTransports::new(Settings::default());
        Self {
            version,
            bao,
            transport: transports.connect(&Tls::default()).unwrap(),
        }
    }
}

impl Subject for VaultSubject {
    type Provider = Vault;

    fn spec(&self) -> Value {
        json!({
            "server": self.bao.url(),
            "path": if self.version == 1 { "old" } else { "kv" },
            "version": format!("v{}", self.version),
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
        self.holds(value)?;
        let text = value
            .expose_utf8()
            .map_err(|_| "the server holds text only")?;
        let data = json!({ "value": text });
        let seeded = if self.version == 1 {
            self.bao.call("PUT", &format!("old/{key}"), &data).map(drop)
        } else {
            self.bao.put(key, &data)
        };
        seeded.map_err(|_| "the server does not take the name")
    }

    fn holds(&self, value: &SecretValue) -> Result<(), &'static str> {
        value
            .expose_utf8()
            .map(drop)
            .map_err(|_| "the server holds text only")
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property("value")
    }

    fn target(&self, key: &str) -> PushTarget {
        PushTarget {
            property: Some("value".to_owned()),
            ..PushTarget::key(key)
        }
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
            status => {
                let status = lockstep_provider_api::http::StatusCode::from_u16(status).ok()?;
                lockstep_provider_api::http::kind_of(status)
            }
        }
    }
}

async fn conforms(version: u8) {
    let report = run(&VaultSubject::new(version)).await;

    report.assert_passed();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_version_keeps_the_contract() {
    conforms(2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_version_keeps_the_contract() {
    conforms(1).await;
}
