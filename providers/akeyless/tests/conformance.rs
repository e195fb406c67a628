//! Holds the provider to the contract, with a script in place of the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use lockstep_provider_akeyless::Akeyless;
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, Subject, Topic, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, PushTarget, RemoteRef, SecretValue, Tombstone};
use serde_json::{Value, json};

/// The member that the suite's values are under.
const MEMBER: &str = "p";

type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

#[derive(Default)]
struct AkeylessSubject {
    secrets: Secrets,
}

impl Subject for AkeylessSubject {
    type Provider = Akeyless;

    fn spec(&self) -> Value {
        json!({
            "akeylessGWApiURL": "https://akeyless.test/v2",
            "authSecretRef": {"secretRef": {
                "accessID": {"name": "c", "key": "id"},
                "accessType": {"name": "c", "key": "type"},
                "accessTypeParam": {"name": "c", "key": "param"},
            }},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "id", "p-1");
        objects.put_secret(NAMESPACE, "c", "type", "api_key");
        objects.put_secret(NAMESPACE, "c", "param", "a key\n");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &["akeyless.test/v2/auth"]
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "items are text")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), json!({ MEMBER: text }).to_string());
        Ok(())
    }

    fn holds(&self, value: &SecretValue) -> Result<(), &'static str> {
        value.expose_utf8().map(drop).map_err(|_| "items are text")
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property(MEMBER)
    }

    fn target(&self, key: &str) -> PushTarget {
        PushTarget {
            property: Some(MEMBER.to_owned()),
            ..PushTarget::key(key)
        }
    }

    /// A search gives the whole item.
    fn found(&self, value: &SecretValue) -> SecretValue {
        let text = value.expose_utf8().unwrap_or_default();
        SecretValue::from(json!({ MEMBER: text }).to_string())
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        let body = json!({"error": "no", "value": CANARY});
        response(status, body.to_string())
    }

    /// A missing item deletes nothing.
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
            Topic::Deletes => Some("a missing item deletes nothing, so it is no absence"),
            _ => None,
        }
    }
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
    let path = request.uri().path();
    if path == "/v2/auth" {
        assert_eq!(body["access-key"], "a key");
        assert_eq!(body["access-type"], "access_key");
        return response(200, r#"{"token":"t-1"}"#);
    }
    if body["token"] != "t-1" {
        return response(401, "{}");
    }
    let Ok(mut secrets) = secrets.lock() else {
        return response(500, "a check panicked");
    };
    let name = body["name"].as_str().unwrap_or_default().to_owned();
    match path {
        "/v2/describe-item" if secrets.contains_key(&name) => {
            let item = json!({"item_name": name, "item_type": "STATIC_SECRET", "item_tags": ["k8s-external-secrets"]});
            response(200, item.to_string())
        }
        "/v2/get-secret-value" => {
            let name = body["names"][0].as_str().unwrap_or_default();
            response(200, json!({ name: secrets.get(name) }).to_string())
        }
        "/v2/list-items" => {
            let items: Vec<_> = secrets
                .keys()
                .map(|name| json!({"item_name": name}))
                .collect();
            response(200, json!({ "items": items }).to_string())
        }
        "/v2/create-secret" | "/v2/update-secret-val" => {
            let value = body["value"].as_str().unwrap_or_default();
            secrets.insert(name, value.to_owned());
            response(200, "{}")
        }
        "/v2/delete-item" => {
            secrets.remove(&name);
            response(200, "{}")
        }
        _ => response(404, r#"{"error":"not found"}"#),
    }
}

#[test]
fn akeyless_keeps_the_contract() {
    assert_conforms(&AkeylessSubject::default());
}
