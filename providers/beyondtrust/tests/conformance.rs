//! Holds the provider to the contract, with a script in place of the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, Topic, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, PushTarget, RemoteRef, SecretValue, Tombstone};
use lockstep_provider_beyondtrust::Beyondtrust;
use serde_json::{Value, json};

type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

const BASE: &str = "/BeyondTrust/api/public/v3";

#[derive(Default)]
struct BeyondtrustSubject {
    secrets: Secrets,
}

impl Subject for BeyondtrustSubject {
    type Provider = Beyondtrust;

    fn spec(&self) -> Value {
        json!({
            "server": {
                "apiUrl": format!("https://ps.test{BASE}"),
                "apiVersion": "3.1",
                "retrievalType": "SECRET",
                "verifyCA": true,
            },
            "auth": {"apiKey": {"secretRef": {"name": "c", "key": "key"}}},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "key", format!("{}\n", "k".repeat(128)));
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &["ps.test/BeyondTrust/api/public/v3/Auth"]
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value
            .expose_utf8()
            .map_err(|_| "the server holds text only")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(format!("folder/{key}"))
    }

    fn target(&self, key: &str) -> PushTarget {
        let metadata = json!({
            "title": key, "username": "u", "folder_name": "folder", "group_id": 1,
        });
        PushTarget {
            metadata: Some(metadata),
            ..PushTarget::key(key)
        }
    }

    fn holds(&self, value: &SecretValue) -> Result<(), &'static str> {
        match value.expose_utf8() {
            Ok(text) if (1..=256).contains(&text.chars().count()) => Ok(()),
            _ => Err("a password has 1 to 256 characters"),
        }
    }

    /// A missing secret deletes nothing, and missing folders are a wrong address.
    fn expected(&self, call: Call, status: u16) -> Option<ErrorKind> {
        if call == Call::Push && status == 404 {
            return Some(ErrorKind::InvalidSpec);
        }
        if call == Call::Get && status == 404 {
            return Some(ErrorKind::Tombstoned(Tombstone {
                state: "missing".into(),
                until: None,
                counts_as_absent: false,
            }));
        }
        StatusCode::from_u16(status).ok().and_then(kind_of)
    }

    fn waives(&self, topic: Topic) -> Option<&'static str> {
        match topic {
            Topic::Writes => Some("a push makes a new secret each time, as in the original"),
            _ => None,
        }
    }
}

fn argument<'a>(request: &'a Request<Bytes>, name: &str) -> &'a str {
    let query = request.uri().query().unwrap_or_default();
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .find(|pair| pair.0 == name)
        .map(|pair| pair.1)
        .unwrap_or_default()
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let path = request.uri().path().strip_prefix(BASE).unwrap_or_default();
    let header = |name: &str| {
        let value = request.headers().get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    };
    if path == "/Auth/SignAppIn" {
        if header("authorization") != format!("PS-Auth key={}", "k".repeat(128)) {
            return response(401, "{}");
        }
        let mut answer = response(200, r#"{"UserId": 7}"#);
        let cookie = HeaderValue::from_static("ASP.NET_SessionId=s; path=/; HttpOnly");
        answer.headers_mut().insert("set-cookie", cookie);
        return answer;
    }
    if header("cookie") != "ASP.NET_SessionId=s" {
        return response(401, "{}");
    }
    let Ok(mut secrets) = secrets.lock() else {
        return response(500, "a check panicked");
    };
    match (request.method(), path) {
        (&Method::GET, "/secrets-safe/secrets") => {
            let found = secrets.get(argument(request, "title"));
            let found: Vec<Value> = found
                .map(|value| json!({"Id": "i", "Password": value, "SecretType": "Credential"}))
                .into_iter()
                .collect();
            response(200, json!(found).to_string())
        }
        (&Method::GET, "/secrets-safe/folders/") => {
            response(200, r#"[{"Id": "f1", "Name": "folder"}]"#)
        }
        (&Method::POST, "/secrets-safe/folders/f1/secrets") => {
            let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
            let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
            secrets.insert(text("Title"), text("Password"));
            response(201, "{}")
        }
        (&Method::POST, "/Auth/Signout") => response(200, ""),
        _ => response(405, "{}"),
    }
}

#[test]
fn beyondtrust_keeps_the_contract() {
    assert_conforms(&BeyondtrustSubject::default());
}
