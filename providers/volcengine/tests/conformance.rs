//! Holds the provider to the contract, with a script in place of KMS. The script checks every signature.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, SecretValue, Tombstone};
use lockstep_provider_volcengine::Volcengine;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

const KEY: &str = "a secret key";

#[derive(Default)]
struct VolcengineSubject {
    secrets: Secrets,
}

impl Subject for VolcengineSubject {
    type Provider = Volcengine;

    fn spec(&self) -> Value {
        json!({
            "region": "cn-beijing",
            "auth": {"secretRef": {
                "accessKeyID": {"name": "c", "key": "id"},
                "secretAccessKey": {"name": "c", "key": "secret"},
            }},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "id", "AK");
        objects.put_secret(NAMESPACE, "c", "secret", format!("{KEY}\n"));
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "a value is text")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    /// Upstream does not recognise a missing secret.
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

fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mac = Hmac::<Sha256>::new_from_slice(key);
    mac.map(|mac| mac.chain_update(text).finalize().into_bytes().to_vec())
        .unwrap_or_default()
}

/// Whether the request is signed with the key, by the vendor's description.
fn is_signed(request: &Request<Bytes>) -> Option<bool> {
    let header = |name: &str| request.headers().get(name)?.to_str().ok();
    let value = header("authorization")?.strip_prefix("HMAC-SHA256 Credential=AK/")?;
    let (scope, rest) = value.split_once(", SignedHeaders=")?;
    let (names, signature) = rest.split_once(", Signature=")?;
    let lines: Vec<String> = names
        .split(';')
        .map(|name| format!("{name}:{}\n", header(name).unwrap_or_default()))
        .collect();
    let lines = lines.concat();
    let hash = hex(&Sha256::digest(request.body()));
    let query = request.uri().query()?;
    let canonical = format!("{}\n/\n{query}\n{lines}\n{names}\n{hash}", request.method());
    let hashed = hex(&Sha256::digest(canonical));
    let text = format!("HMAC-SHA256\n{}\n{scope}\n{hashed}", header("x-date")?);
    let key = scope
        .split('/')
        .fold(KEY.as_bytes().to_vec(), |key, part| mac(&key, part));
    Some(hash == header("x-content-sha256")? && hex(&mac(&key, &text)) == signature)
}

fn refused(status: u16, code: &str) -> Response<Bytes> {
    let error = json!({"Code": code, "Message": "no"});
    let body = json!({"ResponseMetadata": {"RequestId": "r", "Error": error}});
    response(status, body.to_string())
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    if is_signed(request) != Some(true) {
        return refused(401, "SignatureDoesNotMatch");
    }
    let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
    let name = body["SecretName"].as_str().unwrap_or_default();
    let held = secrets
        .lock()
        .ok()
        .and_then(|secrets| secrets.get(name).cloned());
    match held {
        Some(value) if body["VersionID"].is_null() => {
            response(200, json!({"Result": {"SecretValue": value}}).to_string())
        }
        _ => refused(404, "ResourceNotFound.Secret"),
    }
}

#[test]
fn volcengine_keeps_the_contract() {
    assert_conforms(&VolcengineSubject::default());
}
