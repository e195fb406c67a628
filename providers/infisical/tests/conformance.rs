//! Holds the provider to the contract, with a script in place of the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::SecretValue;
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, Subject, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::Transport;
use lockstep_provider_infisical::Infisical;
use serde_json::{Value, json};

type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

#[derive(Default)]
struct InfisicalSubject {
    secrets: Secrets,
}

impl Subject for InfisicalSubject {
    type Provider = Infisical;

    fn spec(&self) -> Value {
        json!({
            "hostAPI": "https://infisical.test",
            "secretsScope": {"projectSlug": "proj", "environmentSlug": "dev"},
            "auth": {"tokenAuthCredentials": {"accessToken": {"name": "c", "key": "token"}}},
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
        let text = value
            .expose_utf8()
            .map_err(|_| "the server holds text only")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    fn holds(&self, value: &SecretValue) -> Result<(), &'static str> {
        value
            .expose_utf8()
            .map(drop)
            .map_err(|_| "the server holds text only")
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        let body = json!({"reqId": "r", "statusCode": status, "message": "no", "value": CANARY});
        response(status, body.to_string())
    }
}

fn shown(name: &str, value: &str) -> Value {
    json!({"secretKey": name, "secretValue": value, "secretPath": "/"})
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let signed = request.headers().get("authorization");
    if signed.is_none_or(|header| header != "Bearer a token") {
        return response(401, "{}");
    }
    let Ok(mut secrets) = secrets.lock() else {
        return response(500, "a check panicked");
    };
    let path = request.uri().path();
    if path == "/api/v1/projects/slug/proj" {
        return response(200, r#"{"id":"uuid-1"}"#);
    }
    if path == "/api/v3/secrets/raw" {
        let all: Vec<_> = secrets
            .iter()
            .map(|(name, value)| shown(name, value))
            .collect();
        return response(200, json!({"secrets": all, "imports": []}).to_string());
    }
    let name = path
        .strip_prefix("/api/v3/secrets/raw/")
        .unwrap_or_default()
        .to_owned();
    let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
    match *request.method() {
        Method::POST | Method::PATCH => {
            assert_eq!(body["workspaceId"], "uuid-1");
            let value = body["secretValue"].as_str().unwrap_or_default();
            secrets.insert(name, value.to_owned());
            response(200, "{}")
        }
        Method::DELETE if secrets.remove(&name).is_some() => response(200, "{}"),
        Method::GET if secrets.contains_key(&name) => {
            let secret = shown(&name, &secrets[&name]);
            response(200, json!({ "secret": secret }).to_string())
        }
        _ => response(404, "{}"),
    }
}

#[test]
fn infisical_keeps_the_contract() {
    assert_conforms(&InfisicalSubject::default());
}
