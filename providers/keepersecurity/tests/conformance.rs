//! Holds the provider to the contract, with a script in place of the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use lockstep_provider_api::SecretValue;
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::Transport;
use lockstep_provider_keepersecurity::Keepersecurity;
use serde_json::{Value, json};

type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

#[derive(Default)]
struct KeepersecuritySubject {
    secrets: Secrets,
}

impl Subject for KeepersecuritySubject {
    type Provider = Keepersecurity;

    fn spec(&self) -> Value {
        json!({
            "url": "https://keepersecurity.test",
            "auth": {"tokenSecretRef": {"name": "credentials", "key": "token"}},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "credentials", "token", "a token\n");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value
            .expose_utf8()
            .map_err(|_| "the server holds text only")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), text.to_owned());
        Ok(())
    }
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let signed = request.headers().get("authorization");
    if signed.is_none_or(|header| header != "Bearer a token") {
        return response(401, "{}");
    }
    let key = request
        .uri()
        .path()
        .strip_prefix("/v1/secrets/")
        .unwrap_or_default();
    let found = secrets
        .lock()
        .ok()
        .and_then(|secrets| secrets.get(key).cloned());
    match found {
        Some(value) => response(200, json!({ "value": value }).to_string()),
        None => response(404, "{}"),
    }
}

#[test]
fn keepersecurity_keeps_the_contract() {
    assert_conforms(&KeepersecuritySubject::default());
}
