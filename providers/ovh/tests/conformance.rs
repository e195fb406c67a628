//! Holds the provider to the contract, with a script in place of the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::json::to_json_object_escaped;
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, RemoteRef, SecretMap, SecretValue};
use lockstep_provider_ovh::Ovh;
use serde_json::{Value, json};

/// Data by path.
type Secrets = Arc<Mutex<BTreeMap<String, Value>>>;

/// The member under which the suite pushes.
const MEMBER: &str = "conformance";
const BASE: &str = "/api/44444444-dddd-4ddd-8ddd-000000000001";

#[derive(Default)]
struct OvhSubject {
    secrets: Secrets,
}

impl Subject for OvhSubject {
    type Provider = Ovh;

    fn spec(&self) -> Value {
        json!({
            "server": "https://okms.test",
            "okmsid": "44444444-dddd-4ddd-8ddd-000000000001",
            "auth": {"token": {"tokenSecretRef": {"name": "c", "key": "token"}}},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "token", "a token\n");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "data is text")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), json!({ MEMBER: text }));
        Ok(())
    }

    fn holds(&self, value: &SecretValue) -> Result<(), &'static str> {
        if serde_json::from_slice::<Value>(value.expose()).is_ok() {
            return Err("JSON is embedded, so that its spelling is lost");
        }
        value.expose_utf8().map(drop).map_err(|_| "data is text")
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property(MEMBER)
    }

    fn found(&self, value: &SecretValue) -> SecretValue {
        to_json_object_escaped(&SecretMap::from_iter([(MEMBER.to_owned(), value.clone())]))
    }

    /// A 404 without the backend's code says nothing about a secret.
    fn expected(&self, _call: Call, status: u16) -> Option<ErrorKind> {
        if status == 404 {
            return Some(ErrorKind::InvalidSpec);
        }
        StatusCode::from_u16(status).ok().and_then(kind_of)
    }
}

fn absent() -> Response<Bytes> {
    response(
        404,
        json!({"error_code": 17_125_377, "errors": ["no"]}).to_string(),
    )
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let signed = request.headers().get("authorization");
    if signed.is_none_or(|header| header != "Bearer a token") {
        return response(401, "{}");
    }
    let Ok(mut secrets) = secrets.lock() else {
        return response(500, "a check panicked");
    };
    let path = request.uri().path().strip_prefix(BASE).unwrap_or_default();
    let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
    let data = body["version"]["data"].clone();
    if let Some(folder) = path.strip_prefix("/v1/secret/metadata/") {
        let keys = secrets.keys().filter(|_| folder.is_empty());
        let keys: Vec<_> = keys.collect();
        return response(200, json!({"data": {"keys": keys}}).to_string());
    }
    if path == "/v2/secret" {
        if request.method() == Method::POST {
            let name = body["path"].as_str().unwrap_or_default();
            secrets.insert(name.to_owned(), data);
        }
        return response(200, "[]");
    }
    let name = path.strip_prefix("/v2/secret/").unwrap_or_default();
    let Some(held) = secrets.get(name).cloned() else {
        return absent();
    };
    match *request.method() {
        Method::PUT => drop(secrets.insert(name.to_owned(), data)),
        Method::DELETE => drop(secrets.remove(name)),
        _ => {}
    }
    let query = request.uri().query().unwrap_or_default();
    if query.contains("version=") {
        return absent();
    }
    let shown = json!({"version": {"data": held}, "metadata": {"currentVersion": 1}});
    response(200, shown.to_string())
}

#[test]
fn ovh_keeps_the_contract() {
    assert_conforms(&OvhSubject::default());
}
