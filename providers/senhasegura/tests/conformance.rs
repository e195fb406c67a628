//! Holds the provider to the contract, with a script in place of the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, RemoteRef, SecretValue};
use lockstep_provider_senhasegura::Senhasegura;
use serde_json::{Value, json};

type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

/// The name under which the suite's values are.
const MEMBER: &str = "VALUE";

#[derive(Default)]
struct SenhaseguraSubject {
    secrets: Secrets,
}

impl Subject for SenhaseguraSubject {
    type Provider = Senhasegura;

    fn spec(&self) -> Value {
        json!({
            "url": "https://senhasegura.test/flow",
            "module": "DSM",
            "auth": {
                "clientId": "id",
                "clientSecretSecretRef": {"name": "credentials", "key": "secret"},
            },
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "credentials", "secret", "a&secret");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &["senhasegura.test/iso/oauth2"]
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "data is text")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property(MEMBER)
    }

    /// One request gives all secrets, so that its 404 says nothing about any of them.
    fn expected(&self, _call: Call, status: u16) -> Option<ErrorKind> {
        if status == 404 {
            return Some(ErrorKind::InvalidSpec);
        }
        StatusCode::from_u16(status).ok().and_then(kind_of)
    }
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    if request.method() == Method::POST {
        let right = "client_id=id&client_secret=a%26secret&grant_type=client_credentials";
        if request.uri().path() != "/iso/oauth2/token" || request.body() != right {
            return response(401, r#"{"error": "invalid_client"}"#);
        }
        return response(200, r#"{"access_token": "t", "expires_in": 3600}"#);
    }
    let signed = request.headers().get("authorization");
    if signed.is_none_or(|header| header != "Bearer t") {
        return response(401, "{}");
    }
    let Ok(secrets) = secrets.lock() else {
        return response(500, "a check panicked");
    };
    let held: Vec<Value> = secrets
        .iter()
        .map(|(key, value)| json!({"identity": key, "data": [{ MEMBER: value }]}))
        .collect();
    let body = json!({"response": {"error": false}, "application": {"secrets": held}});
    response(200, body.to_string())
}

#[test]
fn senhasegura_keeps_the_contract() {
    assert_conforms(&SenhaseguraSubject::default());
}
