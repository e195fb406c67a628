//! Secrets Manager and Parameter Store keep the contract.

use std::sync::Arc;

use base64::Engine as _;
use bytes::Bytes;
use http::Response;
use lockstep_provider::conformance::{CANARY, MemoryObjects, NAMESPACE, Subject, response, run};
use lockstep_provider::http::{Tls, Transport, Transports};
use lockstep_provider::{Find, PushTarget, RemoteRef, SecretValue, Variables};
use lockstep_provider_aws::Aws;
use lockstep_runtime::transport::{HttpTransports, Settings};
use serde_json::{Value, json};

use crate::bench::{moto, spec, word};

/// One service with keys below a prefix of its own.
struct AwsSubject {
    service: &'static str,
    prefix: String,
    transport: Arc<dyn Transport>,
}

impl AwsSubject {
    fn new(service: &'static str) -> Self {
        let transports = HttpTransports::new(Settings::default());
        Self {
            service,
            prefix: format!("/{}/", word("conformance")),
            transport: transports.connect(&Tls::default()).unwrap(),
        }
    }

    fn is_text_only(&self) -> bool {
        self.service == "ParameterStore"
    }

    fn name(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }
}

impl Subject for AwsSubject {
    type Provider = Aws;

    fn spec(&self) -> Value {
        let mut spec = spec(self.service);
        spec["secretsManager"] = json!({ "forceDeleteWithoutRecovery": true });
        spec
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "creds", "id", "conformance");
        objects.put_secret(NAMESPACE, "creds", "secret", "any");
    }

    fn variables(&self) -> Variables {
        moto().environment().into_iter().collect()
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        Some(Arc::clone(&self.transport))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        self.holds(value)?;
        let name = self.name(key);
        let text = value.expose_utf8().ok();
        if self.is_text_only() {
            let parameter = json!({ "Name": name, "Value": text, "Type": "SecureString" });
            moto().call("ssm.PutParameter", &parameter).unwrap();
            return Ok(());
        }
        let secret = match text {
            Some(text) => json!({ "Name": name, "SecretString": text }),
            None => {
                let binary = base64::engine::general_purpose::STANDARD.encode(value.expose());
                json!({ "Name": name, "SecretBinary": binary })
            }
        };
        moto().call("secretsmanager.CreateSecret", &secret).unwrap();
        Ok(())
    }

    fn holds(&self, value: &SecretValue) -> Result<(), &'static str> {
        if value.is_empty() {
            return Err("the service keeps no empty values");
        }
        if self.is_text_only() && value.expose_utf8().is_err() {
            return Err("a parameter is text");
        }
        if self.is_text_only() && value.len() > 4096 {
            return Err("a standard parameter has at most 4096 bytes");
        }
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(self.name(key))
    }

    fn target(&self, key: &str) -> PushTarget {
        PushTarget::key(self.name(key))
    }

    fn search(&self, prefix: &str) -> Find {
        Find {
            name: Some(format!("^{}", self.name(prefix))),
            ..Find::default()
        }
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        let code = match status {
            401 => "UnrecognizedClientException",
            403 => "AccessDeniedException",
            404 if self.is_text_only() => "ParameterNotFound",
            404 => "ResourceNotFoundException",
            409 => "ResourceExistsException",
            429 => "ThrottlingException",
            _ => "InternalServiceError",
        };
        let body = json!({ "__type": code, "message": "no", "SecretString": CANARY });
        response(status, body.to_string())
    }
}

async fn conforms(service: &'static str) {
    let report = run(&AwsSubject::new(service)).await;

    report.assert_passed();
    assert!(report.skipped().is_empty(), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_manager_keeps_the_contract() {
    conforms("SecretsManager").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn parameter_store_keeps_the_contract() {
    conforms("ParameterStore").await;
}
