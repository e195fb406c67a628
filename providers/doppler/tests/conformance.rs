//! Holds the provider to the contract, with a script in place of the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, Subject, Topic, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, SecretValue, Tombstone};
use lockstep_provider_doppler::Doppler;
use serde_json::{Value, json};

type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

#[derive(Default)]
struct DopplerSubject {
    secrets: Secrets,
}

impl Subject for DopplerSubject {
    type Provider = Doppler;

    fn spec(&self) -> Value {
        json!({
            "project": "p",
            "config": "c",
            "auth": {"secretRef": {"dopplerToken": {"name": "c"}}},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "dopplerToken", "a-token");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "secrets are text")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    fn holds(&self, value: &SecretValue) -> Result<(), &'static str> {
        value
            .expose_utf8()
            .map(drop)
            .map_err(|_| "secrets are text")
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        let body = json!({"messages": ["no"], "success": false, "data": CANARY});
        let mut answer = response(status, body.to_string());
        let json = http::HeaderValue::from_static("application/json");
        answer.headers_mut().insert("content-type", json);
        answer
    }

    /// A missing secret deletes nothing.
    fn expected(&self, _call: Call, status: u16) -> Option<ErrorKind> {
        if status == 404 {
            return Some(ErrorKind::Tombstoned(Tombstone {
                state: "missing".into(),
                until: None,
                counts_as_absent: false,
            }));
        }
        StatusCode::from_u16(status).ok().and_then(kind_of)
    }

    fn waives(&self, topic: Topic) -> Option<&'static str> {
        match topic {
            Topic::Writes => Some("Doppler does not say what it held, so every push writes"),
            Topic::Deletes => Some("a missing secret deletes nothing, so it is no absence"),
            _ => None,
        }
    }
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let signed = request.headers().get("authorization");
    // `a-token:` in base64.
    if signed.is_none_or(|header| header != "Basic YS10b2tlbjo=") {
        return response(401, "{}");
    }
    let Ok(mut secrets) = secrets.lock() else {
        return response(500, "a check panicked");
    };
    if request.method() == Method::POST {
        let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
        for (name, value) in body["secrets"].as_object().into_iter().flatten() {
            let value = value.as_str().unwrap_or_default();
            secrets.insert(name.clone(), value.to_owned());
        }
        for change in body["change_requests"].as_array().into_iter().flatten() {
            secrets.remove(change["name"].as_str().unwrap_or_default());
        }
        return response(200, "{}");
    }
    let query = request.uri().query().unwrap_or_default();
    let name = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("secrets="));
    let found = match name {
        None => json!(*secrets),
        Some(name) => match secrets.get(name) {
            Some(value) => json!({ name: value }),
            None => return response(404, "{}"),
        },
    };
    tagged(request, found.to_string())
}

/// The body with a tag of its content, or 304 where the client has it.
fn tagged(request: &Request<Bytes>, body: String) -> Response<Bytes> {
    let sum: u64 = body.bytes().fold(7, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    let tag = format!("\"{sum:x}\"");
    let known = request.headers().get("if-none-match");
    if known.is_some_and(|known| known == tag.as_str()) {
        return response(304, "");
    }
    let mut answer = response(200, body);
    if let Ok(tag) = tag.parse() {
        answer.headers_mut().insert("etag", tag);
    }
    answer
}

#[test]
fn doppler_keeps_the_contract() {
    assert_conforms(&DopplerSubject::default());
}
