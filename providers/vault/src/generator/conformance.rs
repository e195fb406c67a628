//! The suite for generators, on a script that counts the leases it holds.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use lockstep_provider_api::conformance::generator::{GeneratorSubject, assert_conforms};
use lockstep_provider_api::conformance::{CANARY, MemoryObjects, NAMESPACE, response, scripted};
use lockstep_provider_api::http::Transport;
use lockstep_provider_api::{GeneratorEntry, Random};
use serde_json::{Value, json};

use super::VaultDynamicSecret;
use super::tests::NoRandom;

#[derive(Default)]
struct Leases {
    made: usize,
    held: Vec<String>,
}

#[derive(Default)]
struct Subject(Arc<Mutex<Leases>>);

impl GeneratorSubject for Subject {
    fn entry(&self) -> GeneratorEntry {
        GeneratorEntry::of::<VaultDynamicSecret>()
    }

    fn spec(&self) -> Value {
        let token = json!({ "name": "creds", "key": "token" });
        json!({
            "path": "database/creds/app",
            "provider": { "server": "https://vault", "auth": { "tokenSecretRef": token } },
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "creds", "token", CANARY);
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let leases = Arc::clone(&self.0);
        Some(scripted(move |request: Request<Bytes>| {
            let mut leases = leases.lock().unwrap();
            if request.uri().path() == "/v1/sys/leases/revoke" {
                let body: Value = serde_json::from_slice(request.body()).unwrap();
                leases.held.retain(|lease| body["lease_id"] != **lease);
                return response(204, "");
            }
            leases.made += 1;
            let lease = format!("database/creds/app/{}", leases.made);
            leases.held.push(lease.clone());
            let password = format!("{CANARY}{}", leases.made);
            let data = json!({ "username": "app", "password": password });
            let answer = json!({ "lease_id": lease, "lease_duration": 3600, "data": data });
            response(200, answer.to_string())
        }))
    }

    fn random(&self) -> Box<dyn Random> {
        Box::new(NoRandom)
    }

    fn held(&self) -> Option<usize> {
        Some(self.0.lock().unwrap().held.len())
    }

    fn is_secret(&self, key: &str) -> bool {
        key == "password"
    }

    /// A policy refuses in these words; others would be blamed on the token.
    fn refusal(&self, status: u16) -> Response<Bytes> {
        let errors = json!({ "errors": ["1 error occurred:\n\t* permission denied\n\n"] });
        response(status, errors.to_string())
    }
}

#[test]
fn dynamic_secrets_keep_the_contract() {
    assert_conforms(&Subject::default());
}
