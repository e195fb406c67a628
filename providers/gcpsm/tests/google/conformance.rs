//! Secret Manager keeps the contract, global and regional.

use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, Subject, response, run,
};
use lockstep_provider_api::context::Time;
use lockstep_provider_api::http::{Tls, Transport, Transports};
use lockstep_provider_api::{SecretValue, Variables};
use lockstep_provider_gcpsm::Gcpsm;
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::transport::{HttpTransports, Settings};
use lockstep_testkit::gcp::{self, Google};
use serde_json::{Value, json};

use crate::bench::READER;

/// A project or a location of it on a server of its own.
struct GcpsmSubject {
    location: Option<&'static str>,
    google: Google,
    transport: Arc<dyn Transport>,
}

impl GcpsmSubject {
    fn new(location: Option<&'static str>) -> Self {
        let settings = gcp::Settings {
            page: 10,
            ..gcp::Settings::default()
        };
        let transports = HttpTransports::new(Settings::default());
        Self {
            location,
            google: Google::start_with(settings, 0).unwrap(),
            transport: transports.connect(&Tls::default()).unwrap(),
        }
    }
}

impl Subject for GcpsmSubject {
    type Provider = Gcpsm;

    fn spec(&self) -> Value {
        let key = json!({ "name": "creds", "key": "key" });
        json!({
            "projectID": "p", "location": self.location,
            "auth": { "secretRef": { "secretAccessKeySecretRef": key } },
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "creds", "key", self.google.key(READER));
    }

    fn variables(&self) -> Variables {
        self.google.environment().into_iter().collect()
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        Some(Arc::clone(&self.transport))
    }

    /// Tokens are signed with the time of a real clock, which the server checks.
    fn time(&self) -> Option<Arc<dyn Time>> {
        Some(Arc::new(SystemTime))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        self.holds(value)?;
        let place = match self.location {
            None => "projects/p".to_owned(),
            Some(location) => format!("projects/p/locations/{location}"),
        };
        let seeded = self
            .google
            .seed(&place, key, &[value.expose()], &json!({ "a": "b" }));
        seeded.map_err(|_| "the server does not take the name")
    }

    fn holds(&self, value: &SecretValue) -> Result<(), &'static str> {
        if value.is_empty() {
            return Err("Secret Manager keeps no empty payloads");
        }
        Ok(())
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        let word = match status {
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            409 => "ALREADY_EXISTS",
            429 => "RESOURCE_EXHAUSTED",
            503 => "UNAVAILABLE",
            _ => "INTERNAL",
        };
        let body = json!({
            "error": { "code": status, "status": word, "message": "no" },
            "payload": { "data": CANARY },
        });
        response(status, body.to_string())
    }
}

async fn conforms(location: Option<&'static str>) {
    let report = run(&GcpsmSubject::new(location)).await;

    report.assert_passed();
    assert!(report.skipped().is_empty(), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_manager_keeps_the_contract() {
    conforms(None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn regional_secret_manager_keeps_the_contract() {
    conforms(Some("europe-west3")).await;
}
