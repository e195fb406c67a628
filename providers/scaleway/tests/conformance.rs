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
use lockstep_provider_api::{ErrorKind, PushTarget, RemoteRef, SecretValue};
use lockstep_provider_kit::base64::{Encoding, encode};
use lockstep_provider_scaleway::Scaleway;
use serde_json::{Value, json};

/// Versions in base64 by name; a secret's id is its name.
type Secrets = Arc<Mutex<BTreeMap<String, Vec<String>>>>;

const SECRET_KEY: &str = "99999999-2222-4333-8444-555555555555";
const MISSING: &str = r#"{"type":"not_found","resource":"secret"}"#;
const BASE: &str = "/secret-manager/v1beta1/regions/fr-par/secrets";

#[derive(Default)]
struct ScalewaySubject {
    secrets: Secrets,
}

impl Subject for ScalewaySubject {
    type Provider = Scaleway;

    fn spec(&self) -> Value {
        json!({
            "apiUrl": "https://scaleway.test",
            "region": "fr-par",
            "projectId": "11111111-2222-4333-8444-555555555555",
            "accessKey": {"value": "SCW12345678901234567"},
            "secretKey": {"secretRef": {"name": "c", "key": "secret"}},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "secret", format!("{SECRET_KEY}\n").as_str());
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        let data = encode(Encoding::Standard, value.expose());
        secrets.insert(key.to_owned(), vec![data]);
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(format!("name:{key}"))
    }

    fn target(&self, key: &str) -> PushTarget {
        PushTarget::key(format!("name:{key}"))
    }

    fn long_list(&self) -> usize {
        60
    }

    /// The first request lists: a 404 there says nothing about a secret.
    fn expected(&self, call: Call, status: u16) -> Option<ErrorKind> {
        match (call, status) {
            (Call::Get, 404) => Some(ErrorKind::InvalidSpec),
            _ => StatusCode::from_u16(status).ok().and_then(kind_of),
        }
    }
}

fn argument<'a>(request: &'a Request<Bytes>, name: &str) -> Option<&'a str> {
    let query = request.uri().query().unwrap_or_default();
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|pair| pair.0 == name).map(|pair| pair.1)
}

fn number(request: &Request<Bytes>, name: &str) -> usize {
    let text = argument(request, name).unwrap_or_default();
    text.parse().unwrap_or_default()
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let signed = request.headers().get("x-auth-token");
    if signed.is_none_or(|header| header != SECRET_KEY) {
        return response(401, "{}");
    }
    let Ok(mut secrets) = secrets.lock() else {
        return response(500, "a check panicked");
    };
    let path = request.uri().path().strip_prefix(BASE).unwrap_or_default();
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
    match (request.method(), &parts[..]) {
        (&Method::GET, []) => list(request, &secrets),
        (&Method::POST, []) => {
            let name = body["name"].as_str().unwrap_or_default();
            secrets.insert(name.to_owned(), Vec::new());
            response(200, json!({"id": name, "name": name}).to_string())
        }
        (&Method::DELETE, [id]) => {
            let gone = secrets.remove(*id).is_some();
            if gone {
                response(204, "")
            } else {
                response(404, MISSING)
            }
        }
        (&Method::POST, [id, "versions"]) => {
            let Some(versions) = secrets.get_mut(*id) else {
                return response(404, MISSING);
            };
            versions.push(body["data"].as_str().unwrap_or_default().to_owned());
            response(200, json!({"revision": versions.len()}).to_string())
        }
        (&Method::POST, [_, "versions", _, "disable"]) => response(200, "{}"),
        (&Method::GET, [id, "versions", version, rest @ ..]) => {
            let versions = secrets.get(*id).map(Vec::as_slice).unwrap_or_default();
            let revision = match *version {
                "latest" | "latest_enabled" => versions.len(),
                number => number.parse().unwrap_or_default(),
            };
            match (versions.get(revision.wrapping_sub(1)), rest) {
                (None, _) => response(404, MISSING),
                (Some(_), []) => response(200, json!({"revision": revision}).to_string()),
                (Some(data), _) => response(200, json!({"data": data}).to_string()),
            }
        }
        _ => response(405, "{}"),
    }
}

fn list(request: &Request<Bytes>, secrets: &BTreeMap<String, Vec<String>>) -> Response<Bytes> {
    let wanted = argument(request, "name");
    let names: Vec<&String> = secrets
        .keys()
        .filter(|name| wanted.is_none_or(|wanted| wanted == *name))
        .collect();
    let (page, size) = (number(request, "page"), number(request, "page_size"));
    let shown = names.iter().skip((page - 1) * size).take(size);
    let shown: Vec<_> = shown
        .map(|name| json!({"id": name, "name": name}))
        .collect();
    let body = json!({"secrets": shown, "total_count": names.len()});
    response(200, body.to_string())
}

#[test]
fn scaleway_keeps_the_contract() {
    assert_conforms(&ScalewaySubject::default());
}
