//! Secrets Manager and Parameter Store keep the contract.

use std::sync::Arc;

use base64::Engine as _;
use bytes::Bytes;
use http::Response;
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, Subject, response, run,
};
use lockstep_provider_api::http::{Tls, Transport, Transports};
use lockstep_provider_api::{SecretValue, Variables};
use lockstep_provider_aws::Aws;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::moto::Moto;
use serde_json::{Value, json};

use crate::bench::spec;

/// One service on a server of its own.
struct AwsSubject {
    service: &'static str,
    moto: Moto,
    transport: Arc<dyn Transport>,
}

impl AwsSubject {
    fn new(service: &'static str) -> Self {
        let transports = HttpTransports::new(Settings::default());
        Self {
            service,
            moto: Moto::start().unwrap(),
            transport: transports.connect(&Tls::default()).unwrap(),
        }
    }

    fn is_text_only(&self) -> bool {
        self.service == "ParameterStore"
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
        self.moto.environment().into_iter().collect()
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        Some(Arc::clone(&self.transport))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        self.holds(value)?;
        let text = value.expose_utf8().ok();
        if self.is_text_only() {
            let parameter = json!({ "Name": key, "Value": text, "Type": "SecureString" });
            self.moto.call("ssm.PutParameter", &parameter).unwrap();
            return Ok(());
        }
        let secret = if let Some(text) = text {
            json!({ "Name": key, "SecretString": text })
        } else {
            let binary = base64::engine::general_purpose::STANDARD.encode(value.expose());
            json!({ "Name": key, "SecretBinary": binary })
        };
        let made = self.moto.call("secretsmanager.CreateSecret", &secret);
        made.unwrap();
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
