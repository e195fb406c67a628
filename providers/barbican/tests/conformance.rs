//! Holds the provider to the contract, with a script in place of Keystone and Barbican.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderValue, Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, SecretValue, Tombstone};
use lockstep_provider_barbican::Barbican;
use serde_json::{Value, json};

/// Payloads by name; the id of a secret is its name.
type Payloads = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

const PAGE: usize = 10;

#[derive(Default)]
struct BarbicanSubject {
    payloads: Payloads,
}

impl Subject for BarbicanSubject {
    type Provider = Barbican;

    fn spec(&self) -> Value {
        json!({
            "authURL": "https://keystone.test/",
            "domainName": "Default",
            "tenantName": "shop",
            "region": "RegionOne",
            "auth": {
                "username": {"value": "reader"},
                "password": {"secretRef": {"name": "c", "key": "password"}},
            },
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "password", "right\n");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let payloads = Arc::clone(&self.payloads);
        Some(scripted(move |request| answer(&request, &payloads)))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &["keystone.test", "discovery.test"]
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let mut payloads = self.payloads.lock().map_err(|_| "a check panicked")?;
        payloads.insert(key.to_owned(), value.expose().to_vec());
        Ok(())
    }

    /// A missing secret deletes nothing, and a list that is not there is a wrong address.
    fn expected(&self, call: Call, status: u16) -> Option<ErrorKind> {
        match (call, status) {
            (Call::Find, 404) => Some(ErrorKind::InvalidSpec),
            (_, 404) => Some(ErrorKind::Tombstoned(Tombstone {
                state: "missing".into(),
                until: None,
                counts_as_absent: false,
            })),
            _ => StatusCode::from_u16(status).ok().and_then(kind_of),
        }
    }
}

fn answer(request: &Request<Bytes>, payloads: &Payloads) -> Response<Bytes> {
    let uri = request.uri();
    match (uri.host().unwrap_or_default(), uri.path()) {
        ("keystone.test", "/") => {
            let link = json!({"rel": "self", "href": "https://keystone.test/v3/"});
            let values = json!([{"id": "v3.14", "status": "stable", "links": [link]}]);
            response(300, json!({"versions": {"values": values}}).to_string())
        }
        ("keystone.test", "/v3/auth/tokens") => sign_in(request),
        ("barbican.test", path) => {
            if request
                .headers()
                .get("x-auth-token")
                .is_none_or(|token| token != "tok")
            {
                return response(401, "{}");
            }
            let Ok(payloads) = payloads.lock() else {
                return response(500, "a check panicked");
            };
            if path == "/v1/secrets" {
                return list(request, &payloads);
            }
            let id = path.strip_prefix("/v1/secrets/").unwrap_or_default();
            let id = id.strip_suffix("/payload").unwrap_or_default();
            match payloads.get(id) {
                Some(payload) => response(200, payload.clone()),
                None => response(404, r#"{"code":404,"title":"Not Found"}"#),
            }
        }
        _ => response(405, "{}"),
    }
}

fn sign_in(request: &Request<Bytes>) -> Response<Bytes> {
    let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
    if body["auth"]["identity"]["password"]["user"]["password"] != "right" {
        return response(401, "{}");
    }
    let endpoint =
        json!({"interface": "public", "region": "RegionOne", "url": "https://barbican.test/v1"});
    let catalog = json!([{"type": "key-manager", "endpoints": [endpoint]}]);
    let token = json!({"expires_at": "2099-01-01T00:00:00.000000Z", "catalog": catalog});
    let mut answer = response(201, json!({ "token": token }).to_string());
    let token = HeaderValue::from_static("tok");
    answer.headers_mut().insert("x-subject-token", token);
    answer
}

fn list(request: &Request<Bytes>, payloads: &BTreeMap<String, Vec<u8>>) -> Response<Bytes> {
    let query = request.uri().query().unwrap_or_default();
    let offset = query.rsplit("offset=").next().unwrap_or_default();
    let offset: usize = offset.parse().unwrap_or_default();
    let shown = payloads.keys().skip(offset).take(PAGE);
    let shown: Vec<_> = shown
        .map(|name| {
            let address = format!("https://barbican.test/v1/secrets/{name}");
            json!({"name": name, "secret_ref": address})
        })
        .collect();
    let mut body = json!({ "secrets": shown, "total": payloads.len() });
    if offset + PAGE < payloads.len() {
        let next = offset + PAGE;
        body["next"] = json!(format!(
            "https://barbican.test/v1/secrets?limit=10&offset={next}"
        ));
    }
    response(200, body.to_string())
}

#[test]
fn barbican_keeps_the_contract() {
    assert_conforms(&BarbicanSubject::default());
}
