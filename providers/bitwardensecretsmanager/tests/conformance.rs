//! Holds the provider to the contract, with a script in place of the sidecar.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, Topic, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::Transport;
use lockstep_provider_api::http::{StatusCode, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, SecretValue};
use lockstep_provider_bitwardensecretsmanager::Bitwarden;
use serde_json::{Value, json};

/// Values by name; the id of a secret is its name.
type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

#[derive(Default)]
struct BitwardenSubject {
    secrets: Secrets,
}

impl Subject for BitwardenSubject {
    type Provider = Bitwarden;

    fn spec(&self) -> Value {
        json!({
            "bitwardenServerSDKURL": "https://sidecar.test",
            "caBundle": include_str!("ca.pem"),
            "organizationID": "o",
            "projectID": "p",
            "auth": {"secretRef": {"credentials": {"name": "c", "key": "token"}}},
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

    /// The first request lists: a 404 there says nothing about a secret.
    fn expected(&self, _call: Call, status: u16) -> Option<ErrorKind> {
        if status == 404 {
            return Some(ErrorKind::InvalidSpec);
        }
        StatusCode::from_u16(status).ok().and_then(kind_of)
    }

    fn waives(&self, topic: Topic) -> Option<&'static str> {
        match topic {
            Topic::Paging => Some("a search gives all secrets, and the sidecar has no pages"),
            Topic::Deletes => Some("a missing secret is an error that deletes nothing"),
            _ => None,
        }
    }
}

fn shown(name: &str, value: &str) -> Value {
    json!({"id": name, "key": name, "value": value, "note": "", "projectId": "p"})
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let signed = request.headers().get("warden-access-token");
    if signed.is_none_or(|header| header != "a token") {
        return response(401, "{}");
    }
    let Ok(mut secrets) = secrets.lock() else {
        return response(500, "a check panicked");
    };
    let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/rest/api/1/secrets") => {
            let shown: Vec<_> = secrets
                .keys()
                .map(|name| json!({"id": name, "key": name}))
                .collect();
            response(200, json!({"data": shown}).to_string())
        }
        (&Method::GET, _) => match secrets.get(&text("id")) {
            Some(value) => response(200, shown(&text("id"), value).to_string()),
            None => response(404, "{}"),
        },
        (&Method::POST | &Method::PUT, _) => {
            secrets.insert(text("key"), text("value"));
            response(200, shown(&text("key"), "").to_string())
        }
        _ => {
            let id = body["ids"][0].as_str().unwrap_or_default();
            secrets.remove(id);
            response(200, json!({"data": [{"id": id}]}).to_string())
        }
    }
}

#[test]
fn bitwardensecretsmanager_keeps_the_contract() {
    assert_conforms(&BitwardenSubject::default());
}
