//! Holds the provider to the contract, with a script in place of the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, SecretValue, Tombstone};
use lockstep_provider_previder::Previder;
use serde_json::{Value, json};

type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

#[derive(Default)]
struct PreviderSubject {
    secrets: Secrets,
}

impl Subject for PreviderSubject {
    type Provider = Previder;

    fn spec(&self) -> Value {
        json!({
            "baseUri": "https://vault.test/",
            "auth": {"secretRef": {"accessToken": {"name": "credentials", "key": "token"}}},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "credentials", "token", "a token\n");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &["vault.test/token"]
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "a secret is text")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    /// A missing secret was never recognised, so that it deletes nothing.
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
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let signed = request.headers().get("x-api-key");
    if signed.is_none_or(|header| header != "a token") {
        return response(401, "{}");
    }
    let path = request.uri().path();
    if path == "/token/info" {
        return response(200, r#"{"tokenType": "ENVIRONMENT"}"#);
    }
    let id = path
        .strip_prefix("/secret/")
        .and_then(|rest| rest.strip_suffix("/decrypt"))
        .unwrap_or_default();
    let held = secrets.lock().ok();
    match held.and_then(|secrets| secrets.get(id).cloned()) {
        Some(value) => response(200, json!({ "secret": value }).to_string()),
        None => response(404, r#"{"message": "not found"}"#),
    }
}

#[test]
fn previder_keeps_the_contract() {
    assert_conforms(&PreviderSubject::default());
}
