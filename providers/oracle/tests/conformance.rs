//! Holds the provider to the contract, with a script in place of the services.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::conformance::{
    ManualTime, MemoryObjects, NAMESPACE, Subject, Topic, assert_conforms, block_on, response,
    scripted, services,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::retry::RetrySettings;
use lockstep_provider_api::{Entry, ErrorKind, RemoteRef, SecretValue, Tombstone};
use lockstep_provider_kit::base64::{Encoding, decode, encode};
use lockstep_provider_oracle::Oracle;
use ring::signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use serde_json::{Value, json};

/// Base64 of values by name.
type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

/// Made for tests and of no use elsewhere.
const KEY: &str = include_str!("key.pem");
const PAGE: usize = 10;

#[derive(Default)]
struct OracleSubject {
    secrets: Secrets,
}

impl Subject for OracleSubject {
    type Provider = Oracle;

    fn spec(&self) -> Value {
        json!({
            "region": "us-ashburn-1",
            "vault": "v",
            "compartment": "c",
            "encryptionKey": "k",
            "auth": {
                "tenancy": "t",
                "user": "u",
                "secretRef": {
                    "privatekey": {"name": "c", "key": "key"},
                    "fingerprint": {"name": "c", "key": "fp"},
                },
            },
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "key", KEY);
        objects.put_secret(NAMESPACE, "c", "fp", "aa:bb\n");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), encode(Encoding::Standard, value.expose()));
        Ok(())
    }

    /// A read cannot tell a missing secret from a hidden one.
    fn expected(&self, call: Call, status: u16) -> Option<ErrorKind> {
        if status == 404 && call == Call::Get {
            return Some(ErrorKind::Tombstoned(Tombstone {
                state: "missing".into(),
                until: None,
                counts_as_absent: false,
            }));
        }
        StatusCode::from_u16(status).ok().and_then(kind_of)
    }

    fn waives(&self, topic: Topic) -> Option<&'static str> {
        (topic == Topic::Deletes)
            .then_some("the backend hides what is gone as it hides what is denied")
    }
}

/// Whether the signature over the request is the user's.
fn is_signed(request: &Request<Bytes>) -> Option<bool> {
    let header = |name: &str| request.headers().get(name)?.to_str().ok();
    let authorization = header("authorization")?;
    let part = |name: &str| {
        let (_, rest) = authorization.split_once(&format!("{name}=\""))?;
        rest.split('"').next()
    };
    let line = |name: &str| match name {
        "(request-target)" => {
            let method = request.method().as_str().to_lowercase();
            format!("{name}: {method} {}", request.uri())
        }
        "host" => format!(
            "host: {}",
            request.uri().authority().map_or("", |host| host.as_str())
        ),
        other => format!("{other}: {}", header(other).unwrap_or_default()),
    };
    let path = request.uri().path_and_query()?.as_str();
    let lines: Vec<String> = part("headers")?
        .split(' ')
        .map(|name| line(name).replace(&request.uri().to_string(), path))
        .collect();
    let signature = decode(Encoding::Standard, part("signature")?.as_bytes()).ok()?;
    let pem: String = KEY.lines().filter(|line| !line.starts_with('-')).collect();
    let der = decode(Encoding::Standard, pem.as_bytes()).ok()?;
    let pair = RsaKeyPair::from_pkcs8(&der).ok()?;
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, pair.public_key().as_ref());
    let valid = key.verify(lines.join("\n").as_bytes(), &signature).is_ok();
    Some(valid && part("keyId")? == "t/u/aa:bb")
}

fn query(request: &Request<Bytes>, name: &str) -> Option<String> {
    let query = request.uri().query()?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(key, _)| *key == name)?;
    Some(value.to_owned())
}

fn hidden() -> Response<Bytes> {
    response(
        404,
        json!({"code": "NotAuthorizedOrNotFound", "message": "no"}).to_string(),
    )
}

fn bundle(name: &str, content: &str) -> Response<Bytes> {
    let body = json!({
        "secretId": format!("id.{name}"),
        "secretBundleContent": {"contentType": "BASE64", "content": content},
    });
    response(200, body.to_string())
}

fn list(request: &Request<Bytes>, secrets: &BTreeMap<String, String>) -> Response<Bytes> {
    let start: usize = query(request, "page")
        .and_then(|page| page.parse().ok())
        .unwrap_or(0);
    let names = secrets.keys().skip(start).take(PAGE);
    let items: Vec<Value> = names.map(|name| json!({ "secretName": name })).collect();
    let mut answer = response(200, json!(items).to_string());
    if start + PAGE < secrets.len()
        && let Ok(next) = (start + PAGE).to_string().parse()
    {
        answer.headers_mut().insert("opc-next-page", next);
    }
    answer
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    if is_signed(request) != Some(true) {
        return response(
            401,
            json!({"code": "NotAuthenticated", "message": "no"}).to_string(),
        );
    }
    let Ok(mut secrets) = secrets.lock() else {
        return response(500, "a check panicked");
    };
    let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
    let content = body["secretContent"]["content"]
        .as_str()
        .unwrap_or_default();
    let path = request.uri().path();
    if path.ends_with("/getByName") {
        let name = query(request, "secretName").unwrap_or_default();
        return match secrets.get(&name) {
            Some(content) => bundle(&name, content),
            None => hidden(),
        };
    }
    if path == "/20180608/secrets" && request.method() == Method::GET {
        return list(request, &secrets);
    }
    let id = path
        .strip_prefix("/20180608/secrets/id.")
        .unwrap_or_default();
    match (
        request.method(),
        id.strip_suffix("/actions/scheduleDeletion"),
    ) {
        (_, Some(name)) => drop(secrets.remove(name)),
        (&Method::PUT, None) => drop(secrets.insert(id.to_owned(), content.to_owned())),
        _ => {
            let name = body["secretName"].as_str().unwrap_or_default();
            secrets.insert(name.to_owned(), content.to_owned());
        }
    }
    response(200, "{}")
}

#[test]
fn oracle_keeps_the_contract() {
    assert_conforms(&OracleSubject::default());
}

#[test]
fn retry_settings_count_the_attempts_of_a_request() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let services = services().timed(ManualTime::hasty());
    let services = services.plugged(scripted(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        response(
            500,
            json!({"code": "InternalServerError", "message": "boom"}).to_string(),
        )
    }));
    let subject = OracleSubject::default();
    subject.prepare(&services.objects);
    let settings = RetrySettings::parse(Some(3), Some("1s")).unwrap();
    let ctx = services.ctx("s").with_retry(settings);
    let store = block_on(Entry::of::<Oracle>().connect(subject.spec(), ctx)).unwrap();

    let error = block_on(store.get(&RemoteRef::key("k"))).unwrap_err();

    assert_eq!(sent.load(Ordering::Relaxed), 3);
    assert_eq!(services.time.passed(), Duration::from_secs(2));
    assert_eq!(
        error.to_string(),
        "Secrets service failed to GetSecretBundleByName, HTTP status code 500: boom"
    );
}
