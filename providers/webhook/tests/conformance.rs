//! Holds the provider to the contract, with a script in place of the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::SecretValue;
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, Topic, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::Transport;
use lockstep_provider_webhook::Webhook;
use serde_json::{Value, json};

type Secrets = Arc<Mutex<BTreeMap<String, Bytes>>>;

#[derive(Default)]
struct WebhookSubject {
    secrets: Secrets,
}

impl Subject for WebhookSubject {
    type Provider = Webhook;

    fn spec(&self) -> Value {
        let key = "{{ if .remoteRef.remoteKey }}{{ .remoteRef.remoteKey }}\
                   {{ else }}{{ .remoteRef.key }}{{ end }}";
        json!({
            "url": format!("https://hook.test/secrets/{key}"),
            "headers": {"Authorization": "Bearer {{ .auth.token }}"},
            "secrets": [{"name": "auth", "secretRef": {"name": "credentials"}}],
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "credentials", "token", "a token\n");
        objects.label_secret(
            NAMESPACE,
            "credentials",
            "external-secrets.io/type",
            "webhook",
        );
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), Bytes::copy_from_slice(value.expose()));
        Ok(())
    }

    fn waives(&self, topic: Topic) -> Option<&'static str> {
        (topic == Topic::Writes)
            .then_some("an endpoint receives a value and does not say what it held before")
    }
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let signed = request.headers().get("authorization");
    if signed.is_none_or(|header| header != "Bearer a token") {
        return response(401, "{}");
    }
    let path = request.uri().path();
    let key = path.strip_prefix("/secrets/").unwrap_or_default();
    let Ok(mut secrets) = secrets.lock() else {
        return response(500, "a check panicked");
    };
    match *request.method() {
        Method::POST => {
            secrets.insert(key.to_owned(), request.body().clone());
            response(200, "")
        }
        Method::DELETE if secrets.remove(key).is_some() => response(204, ""),
        Method::GET if secrets.contains_key(key) => response(200, secrets[key].clone()),
        _ => response(404, "{}"),
    }
}

#[test]
fn webhook_keeps_the_contract() {
    assert_conforms(&WebhookSubject::default());
}
