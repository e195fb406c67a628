//! Holds the provider to the contract, with a script in place of the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::Transport;
use lockstep_provider_api::{RemoteRef, SecretValue};
use lockstep_provider_beyondtrustworkloadcredentials::Beyondtrustworkloadcredentials;
use serde_json::{Value, json};

type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

const SITE: &str = "12345678-1234-4234-8234-123456789012";

#[derive(Default)]
struct WorkloadSubject {
    secrets: Secrets,
}

impl Subject for WorkloadSubject {
    type Provider = Beyondtrustworkloadcredentials;

    fn spec(&self) -> Value {
        json!({
            "auth": {"apikey": {"token": {"name": "c", "key": "token"}}},
            "server": {"apiUrl": "https://bt.test/", "siteId": SITE},
            "folderPath": "team",
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "token", "a-token\n");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    /// A secret is an object; the value is a member of it.
    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value
            .expose_utf8()
            .map_err(|_| "the server holds text only")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property("value")
    }

    fn found_name(&self, key: &str) -> String {
        format!("team/{key}/value")
    }
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let signed = request.headers().get("authorization");
    if signed.is_none_or(|header| header != "Bearer a-token") {
        return response(401, r#"{"error":"unauthorized"}"#);
    }
    let Ok(secrets) = secrets.lock() else {
        return response(500, "a check panicked");
    };
    let path = request.uri().path();
    let path = path
        .strip_prefix(&format!("/{SITE}/secrets"))
        .unwrap_or_default();
    let query = request.uri().query().unwrap_or_default();
    match (path.strip_prefix("/static/"), query) {
        (Some(name), "folder=team") => match secrets.get(name) {
            Some(value) => {
                let metadata = json!({"id": "i", "tags": {"conformance": "able"}});
                let secret = json!({"secret": {"value": value}, "metadata": metadata});
                response(200, secret.to_string())
            }
            None => response(404, r#"{"error":"not_found"}"#),
        },
        (None, "path=team&recursive=true" | "path=able&recursive=true") => {
            let items = secrets
                .keys()
                .map(|name| json!({"path": format!("team/{name}")}));
            let items: Vec<Value> = items.collect();
            response(200, json!({ "data": items }).to_string())
        }
        _ => response(405, "{}"),
    }
}

#[test]
fn beyondtrustworkloadcredentials_keeps_the_contract() {
    assert_conforms(&WorkloadSubject::default());
}
