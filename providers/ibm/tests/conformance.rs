//! Holds the provider to the contract, with a script in place of IAM and the instance.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use lockstep_provider_api::conformance::{
    ManualTime, MemoryObjects, NAMESPACE, Subject, assert_conforms, block_on, response, scripted,
    services,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::retry::RetrySettings;
use lockstep_provider_api::{Entry, ErrorKind, RemoteRef, SecretValue, Tombstone};
use lockstep_provider_ibm::Ibm;
use serde_json::{Value, json};

/// Payloads by name.
type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

const IAM: &str = "iam.cloud.ibm.com";

#[derive(Default)]
struct IbmSubject {
    secrets: Secrets,
}

impl Subject for IbmSubject {
    type Provider = Ibm;

    fn spec(&self) -> Value {
        json!({
            "serviceUrl": "https://instance.test",
            "auth": {"secretRef": {"secretApiKeySecretRef": {"name": "c", "key": "key"}}},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "key", "an api key\n");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &[IAM]
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "a payload is text")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(format!("group/arbitrary/{key}"))
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

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    if request.uri().host() == Some(IAM) {
        let body = String::from_utf8_lossy(request.body());
        if !body.contains("apikey=an%20api%20key&") {
            return response(400, json!({"errorMessage": "no such key"}).to_string());
        }
        return response(
            200,
            json!({"access_token": "t", "expires_in": 3600}).to_string(),
        );
    }
    let signed = request.headers().get("authorization");
    if signed.is_none_or(|header| header != "Bearer t") {
        return response(401, "{}");
    }
    let path = request.uri().path();
    let prefix = "/api/v2/secret_groups/group/secret_types/arbitrary/secrets/";
    let name = path.strip_prefix(prefix).unwrap_or_default();
    let held = secrets
        .lock()
        .ok()
        .and_then(|secrets| secrets.get(name).cloned());
    match held {
        Some(payload) => {
            let secret = json!({"secret_type": "arbitrary", "payload": payload});
            response(200, secret.to_string())
        }
        None => response(
            404,
            json!({"errors": [{"message": "Secret not found"}]}).to_string(),
        ),
    }
}

#[test]
fn ibm_keeps_the_contract() {
    assert_conforms(&IbmSubject::default());
}

/// How many requests for a secret a read makes while the instance is busy.
fn requests(settings: Option<RetrySettings>) -> usize {
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let services = services().timed(ManualTime::hasty());
    let services = services.plugged(scripted(move |request| {
        if request.uri().host() == Some(IAM) {
            return answer(&request, &Secrets::default());
        }
        counter.fetch_add(1, Ordering::Relaxed);
        response(503, "busy")
    }));
    let subject = IbmSubject::default();
    subject.prepare(&services.objects);
    let ctx = services.ctx("s");
    let ctx = match settings {
        Some(settings) => ctx.with_retry(settings),
        None => ctx,
    };
    let store = block_on(Entry::of::<Ibm>().connect(subject.spec(), ctx)).unwrap();
    let error = block_on(store.get(&subject.reference("k"))).unwrap_err();
    assert_eq!(error.to_string(), "Service Unavailable");
    sent.load(Ordering::Relaxed)
}

#[test]
fn retry_settings_count_the_repeats_of_a_request() {
    assert_eq!(requests(None), 1);
    assert_eq!(requests(Some(RetrySettings::default())), 4);
    assert_eq!(requests(RetrySettings::parse(Some(1), Some("1s")).ok()), 2);
}
