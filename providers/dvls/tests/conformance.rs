//! Holds the provider to the contract, with a script in place of the server.
#![expect(clippy::unwrap_used, reason = "what cannot go on fails the test")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::conformance::{
    CANARY, MemoryObjects, NAMESPACE, Subject, Topic, assert_conforms, block_on, response,
    scripted, services,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::prelude::*;
use lockstep_provider_dvls::{Dvls, DvlsSpec, DvlsStore};
use serde_json::{Value, json};

const VAULT: &str = "11111111-aaaa-4aaa-8aaa-000000000001";
const ENTRY: &str = "22222222-bbbb-4bbb-8bbb-000000000001";

type Secrets = Arc<Mutex<BTreeMap<String, String>>>;

#[derive(Default)]
struct DvlsSubject {
    secrets: Secrets,
}

fn spec(vault: &str) -> Value {
    json!({
        "serverUrl": "https://dvls.test/",
        "vault": vault,
        "auth": {"secretRef": {
            "appId": {"name": "c", "key": "id"},
            "appSecret": {"name": "c", "key": "secret"},
        }},
    })
}

fn credentials(objects: &MemoryObjects) {
    objects.put_secret(NAMESPACE, "c", "id", "app");
    objects.put_secret(NAMESPACE, "c", "secret", "s&cret");
}

impl Subject for DvlsSubject {
    type Provider = Dvls;

    fn spec(&self) -> Value {
        spec("ops")
    }

    fn prepare(&self, objects: &MemoryObjects) {
        credentials(objects);
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let secrets = Arc::clone(&self.secrets);
        Some(scripted(move |request| answer(&request, &secrets)))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &["dvls.test/api/v1/login", "dvls.test/api/is-logged"]
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        self.holds(value)?;
        let text = value.expose_utf8().map_err(|_| "fields are text")?;
        let mut secrets = self.secrets.lock().map_err(|_| "a check panicked")?;
        secrets.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    fn holds(&self, value: &SecretValue) -> Result<(), &'static str> {
        if value.is_empty() {
            return Err("empty fields are left out");
        }
        value.expose_utf8().map(drop).map_err(|_| "fields are text")
    }

    fn refusal(&self, status: u16) -> Response<Bytes> {
        response(status, json!({"message": CANARY}).to_string())
    }

    /// The first request is a list, whose 404 is about the vault.
    fn expected(&self, _call: Call, status: u16) -> Option<ErrorKind> {
        match status {
            404 => Some(ErrorKind::InvalidSpec),
            _ => StatusCode::from_u16(status).ok().and_then(kind_of),
        }
    }

    fn waives(&self, topic: Topic) -> Option<&'static str> {
        match topic {
            Topic::Writes | Topic::Deletes => {
                Some("every push writes, and an entry must exist before it")
            }
            _ => None,
        }
    }
}

fn entry(at: usize, name: &str, password: &str) -> Value {
    json!({
        "id": format!("22222222-bbbb-4bbb-8bbb-{at:012}"), "name": name, "path": "a\\b",
        "type": "Credential", "subType": "Default",
        "data": {"username": "u", "password": password, "domain": ""},
    })
}

/// Makes an entry of every name that is asked for, because the suite's pushes cannot make any. Ids end
/// in positions in the order of names.
fn answer(request: &Request<Bytes>, secrets: &Secrets) -> Response<Bytes> {
    let path = request.uri().path();
    if path == "/api/v1/login" {
        assert_eq!(request.body(), "AppKey=app&AppSecret=s%26cret");
        return response(200, r#"{"tokenId":"tok","result":1}"#);
    }
    let signed = request.headers().get("tokenid");
    if signed.is_none_or(|header| header != "tok") {
        return response(401, "{}");
    }
    let query = request.uri().query().unwrap_or_default();
    match path {
        "/api/is-logged" => return response(200, "true"),
        "/api/v1/vault" => {
            let (id, name) = match query {
                "page=1" => ("33333333-cccc-4ccc-8ccc-000000000001", "other"),
                _ => (VAULT, "ops"),
            };
            let vaults = json!({"data": [{"id": id, "name": name}], "totalPage": 2});
            return response(200, vaults.to_string());
        }
        _ => {}
    }
    let mut secrets = secrets.lock().unwrap();
    let rest = path.strip_prefix(&format!("/api/v1/vault/{VAULT}/entry"));
    let Some(rest) = rest else {
        return response(404, r#"{"message":"no such vault"}"#);
    };
    if rest.is_empty() {
        let name = query.split('&').find_map(|pair| pair.strip_prefix("name="));
        let name = name.unwrap();
        secrets
            .entry(name.to_owned())
            .or_insert_with(|| "x".to_owned());
        let at = secrets.keys().position(|one| one == name).unwrap();
        let folder = json!({"id": "f", "name": name, "type": "Folder", "subType": "Folder"});
        let entries = json!({"data": [folder, entry(at, name, "")], "totalPage": 1});
        return response(200, entries.to_string());
    }
    let at: Option<usize> = rest.rsplit('-').next().and_then(|id| id.parse().ok());
    let found = at.and_then(|at| secrets.iter_mut().nth(at));
    let Some((name, value)) = found else {
        return response(404, r#"{"message":"no such entry"}"#);
    };
    if request.method() == Method::PUT {
        let body: Value = serde_json::from_slice(request.body()).unwrap();
        assert_eq!(body["data"]["username"], "u");
        body["data"]["password"].as_str().unwrap().clone_into(value);
        return response(200, "");
    }
    response(200, entry(at.unwrap_or_default(), name, value).to_string())
}

#[test]
fn dvls_keeps_the_contract() {
    assert_conforms(&DvlsSubject::default());
}

fn store(vault: &str) -> DvlsStore {
    let secrets = Secrets::default();
    let services = services().plugged(scripted(move |request| answer(&request, &secrets)));
    credentials(&services.objects);
    let spec: DvlsSpec = serde_json::from_value(spec(vault)).unwrap();
    block_on(Dvls::connect(spec, services.ctx("s"))).unwrap()
}

#[test]
fn an_entry_that_is_not_there_is_absence() {
    let error = block_on(store(VAULT).get(&RemoteRef::key(ENTRY))).unwrap_err();

    assert!(error.consequence().absent);
}

#[test]
fn an_entry_that_went_with_its_vault_is_no_absence() {
    let vault = "99999999-cccc-4ccc-8ccc-000000000001";
    let place = format!("/api/v1/vault/{vault}/entry/{ENTRY}");
    let left = AtomicBool::new(true);
    let services = services().plugged(scripted(move |request| {
        if request.uri().path() == place && left.swap(false, Ordering::Relaxed) {
            return response(200, entry(1, "n", "p").to_string());
        }
        answer(&request, &Secrets::default())
    }));
    credentials(&services.objects);
    let spec: DvlsSpec = serde_json::from_value(spec(vault)).unwrap();
    let store = block_on(Dvls::connect(spec, services.ctx("s"))).unwrap();
    block_on(store.get(&RemoteRef::key(ENTRY))).unwrap();

    let error = block_on(store.get(&RemoteRef::key(ENTRY))).unwrap_err();
    assert!(!error.consequence().absent);
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("vault {vault:?} was not found")),
        "{text}"
    );
}

#[test]
fn a_push_to_an_entry_that_is_not_there_says_so() {
    let source = SecretMap::from_iter([("a".to_owned(), SecretValue::from("v"))]);
    let item = PushItem {
        secret_key: Some("a".to_owned()),
        ..PushItem::whole(PushTarget::key(ENTRY), source)
    };

    let error = block_on(store(VAULT).push(&item)).unwrap_err();

    let want = format!(
        "entry {ENTRY} not found in vault {VAULT}: entry must exist before pushing secrets"
    );
    assert_eq!(error.to_string(), want);
}

#[test]
fn an_unknown_vault_stops_the_store() {
    let services = services().plugged(scripted(|request| answer(&request, &Secrets::default())));
    credentials(&services.objects);
    let spec: DvlsSpec = serde_json::from_value(spec("nowhere")).unwrap();

    let error = block_on(Dvls::connect(spec, services.ctx("s")))
        .err()
        .unwrap();

    let want = "failed to create DVLS client: failed to resolve vault: failed to resolve vault \
                \"nowhere\": vault not found";
    assert_eq!(error.to_string(), want);
}
