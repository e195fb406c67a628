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
use lockstep_provider_api::{ErrorKind, RemoteRef, SecretValue, Tombstone};
use lockstep_provider_delinea::Delinea;
use serde_json::{Value, json};

/// Values by path; each is the member `v` of its secret.
type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

#[derive(Default)]
struct DelineaSubject {
    secrets: Secrets,
}

impl Subject for DelineaSubject {
    type Provider = Delinea;

    fn spec(&self) -> Value {
        json!({
            "tenant": "shop",
            "clientId": {"value": "an id"},
            "clientSecret": {"secretRef": {"name": "c", "key": "secret"}},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "secret", "a secret");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &["shop.secretsvaultcloud.com/v1/token"]
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "members are text")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property("v")
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
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let path = request.uri().path();
    if path == "/v1/token" {
        let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
        let known = json!({
            "grant_type": "client_credentials",
            "client_id": "an id",
            "client_secret": "a secret",
        });
        let granted = json!({"accessToken": "a token", "expiresIn": 3600}).to_string();
        return response(if body == known { 200 } else { 401 }, granted);
    }
    let signed = request.headers().get("authorization");
    if signed.is_none_or(|header| header != "Bearer a token") {
        return response(401, "{}");
    }
    let Ok(secrets) = secrets.lock() else {
        return response(500, "a check panicked");
    };
    let key = path.strip_prefix("/v1/secrets/").unwrap_or_default();
    match secrets.get(key) {
        Some(value) => response(200, json!({"path": key, "data": {"v": value}}).to_string()),
        None => response(404, "{}"),
    }
}

#[test]
fn delinea_keeps_the_contract() {
    assert_conforms(&DelineaSubject::default());
}
