//! Holds the provider to the contract, with a script in place of the server.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, Subject, assert_conforms, block_on, response, scripted,
    services,
};
use lockstep_provider_api::context::Scope;
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::prelude::*;
use lockstep_provider_passworddepot::{Passworddepot, PassworddepotSpec};
use serde_json::{Value, json};

type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

#[derive(Default)]
struct PassworddepotSubject {
    secrets: Secrets,
}

fn spec() -> Value {
    json!({
        "host": "pd.test",
        "database": "shop",
        "auth": {"secretRef": {"credentials": {"name": "c", "key": "ignored"}}},
    })
}

impl Subject for PassworddepotSubject {
    type Provider = Passworddepot;

    fn spec(&self) -> Value {
        spec()
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "username", "u");
        objects.put_secret(NAMESPACE, "c", "password", "p");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &["pd.test/v1.0/login"]
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "fields are text")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(key).property("pass")
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        response(status, json!({"pass": CANARY}).to_string())
    }

    /// What is not there, lists do not have; a 404 is about the address.
    fn expected(&self, _call: Call, status: u16) -> Option<ErrorKind> {
        match status {
            404 => Some(ErrorKind::InvalidSpec),
            _ => StatusCode::from_u16(status).ok().and_then(kind_of),
        }
    }
}

fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let header = |name: &str| {
        let value = request.headers().get(name);
        value.map_or("", |value| value.to_str().unwrap_or_default())
    };
    let query = request.uri().query().unwrap_or_default();
    match (request.uri().path(), query) {
        ("/v1.0/login", _) if (header("user"), header("pass")) == ("u", "p") => {
            return response(200, r#"{"client_id":"cl","access_token":"tok"}"#);
        }
        _ if (header("client_id"), header("access_token")) != ("cl", "tok") => {
            return response(401, "denied");
        }
        ("/v1.0/list", "") => {
            let databases = json!([{"name": "other", "fingerprint": "DB0"}, {"name": "my-shop", "fingerprint": "DB1"}]);
            return response(200, json!({ "databases": databases }).to_string());
        }
        ("/v1.0/list", "db=DB1&folder=F1") => {
            let entries = json!([{"name": "web", "fingerprint": "web"}]);
            return response(200, json!({ "entries": entries }).to_string());
        }
        _ => {}
    }
    let secrets = secrets.lock().unwrap();
    if query == "db=DB1" {
        let mut entries: Vec<_> = secrets
            .keys()
            .map(|name| json!({"name": name, "fingerprint": name}))
            .collect();
        // A name that is a part of another one must not be found in its place.
        entries.sort_by_key(|entry| entry["name"].as_str().map(str::len));
        entries.push(json!({"name": "a-folder", "fingerprint": "F1"}));
        return response(200, json!({ "entries": entries }).to_string());
    }
    let name = query.strip_prefix("db=DB1&entry=").unwrap_or_default();
    match secrets.get(name) {
        Some(pass) => response(200, json!({"name": name, "pass": pass}).to_string()),
        None if name == "web" => response(200, r#"{"name":"web","pass":"p3"}"#),
        None => response(404, ""),
    }
}

#[test]
fn passworddepot_keeps_the_contract() {
    assert_conforms(&PassworddepotSubject::default());
}

fn read(key: &str, property: &str) -> Result<SecretValue> {
    let services = services().plugged(scripted(|request| answer(&request, &Secrets::default())));
    PassworddepotSubject::default().prepare(&services.objects);
    let spec: PassworddepotSpec = serde_json::from_value(spec()).unwrap();
    block_on(async {
        let store = Passworddepot::connect(spec, services.ctx("s")).await?;
        let reference = RemoteRef::key(key).property(property);
        store.get(&reference).await
    })
}

#[test]
fn dots_walk_through_folders_and_parts_of_names_suffice() {
    assert_eq!(read("fold.we", "pass").unwrap(), "p3".into());
}

#[test]
fn what_is_not_there_is_told_and_deletes_nothing() {
    let entry = read("none", "pass").unwrap_err();
    assert_eq!(
        entry.to_string(),
        "error: getting Secret fingerprint: secret not found"
    );
    assert!(!entry.consequence().absent);

    let field = read("fold.we", "").unwrap_err();
    assert_eq!(field.to_string(), "key not found in secret data");
    assert!(!field.consequence().absent);
}

#[test]
fn faults_of_credentials_are_told_in_upstreams_words() {
    let connect = |prepare: &dyn Fn(&MemoryObjects), scope: Scope| {
        let services =
            services().plugged(scripted(|request| answer(&request, &Secrets::default())));
        prepare(&services.objects);
        let spec: PassworddepotSpec = serde_json::from_value(spec()).unwrap();
        let ctx = services.ctx_in("s", scope);
        let refused = block_on(Passworddepot::connect(spec, ctx)).err();
        refused.unwrap().to_string()
    };
    let namespaced = || Scope::Namespaced {
        namespace: NAMESPACE.to_owned(),
    };

    let missing = connect(&|_| {}, namespaced());
    assert!(
        missing.starts_with("couldn't find secret on cluster: "),
        "{missing}"
    );
    let half = connect(
        &|objects| objects.put_secret(NAMESPACE, "c", "username", "u"),
        namespaced(),
    );
    assert_eq!(half, "missing credentials while setting auth");
    let cluster = connect(&|_| {}, Scope::Cluster { caller: None });
    assert_eq!(cluster, "invalid clusterStore missing SAK namespace");
    let wrong = connect(
        &|objects| {
            objects.put_secret(NAMESPACE, "c", "username", "u");
            objects.put_secret(NAMESPACE, "c", "password", "wrong");
        },
        namespaced(),
    );
    let want = "failed to login: error: failed to unmarshal response body: failed to authenticate \
                with the given credentials: 401 ";
    assert_eq!(wrong, want);
}
