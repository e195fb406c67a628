//! Holds the provider to the contract, with a script in place of the API.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, TestServices, Topic, assert_conforms, block_on, response,
    scripted, services,
};
use lockstep_provider_api::http::Transport;
use lockstep_provider_api::{
    Entry, PushItem, PushTarget, Pushed, RemoteRef, SecretMap, SecretValue,
};
use lockstep_provider_ngrok::Ngrok;
use serde_json::{Value, json};

/// Bodies of secrets by name, and the id that the vault has now.
#[derive(Default)]
struct Backend {
    secrets: BTreeMap<String, Value>,
    moved: bool,
}

type Shared = Arc<Mutex<Backend>>;

#[derive(Default)]
struct NgrokSubject {
    backend: Shared,
}

fn spec() -> Value {
    json!({
        "apiUrl": "https://api.test/base",
        "auth": {"apiKey": {"secretRef": {"name": "c", "key": "key"}}},
        "vault": {"name": "v"},
    })
}

impl Subject for NgrokSubject {
    type Provider = Ngrok;

    fn spec(&self) -> Value {
        spec()
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "key", "a key\n");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let backend = Arc::clone(&self.backend);
        Some(scripted(move |request| answer(&request, &backend)))
    }

    async fn seed(&self, _key: &str, _value: &SecretValue) -> Result<(), &'static str> {
        Err("nothing can be read")
    }

    fn waives(&self, topic: Topic) -> Option<&'static str> {
        (topic == Topic::Writes).then_some("values cannot be compared, so that they are written")
    }
}

fn vault(backend: &Backend) -> Value {
    let id = if backend.moved { "vault_2" } else { "vault_1" };
    json!({"id": id, "name": "v"})
}

/// One secret a page, and a decoy of the same name in another vault before it.
fn list(request: &Request<Bytes>, backend: &Backend) -> Value {
    let query = request.uri().query().unwrap_or_default();
    let mut found = backend.secrets.iter().filter(|(name, _)| {
        query.contains(&format!("%22{name}%22")) || query == format!("page=2&name={name}")
    });
    let Some((name, _)) = found.next() else {
        return json!({"secrets": []});
    };
    if query.contains("filter=") {
        let decoy = json!({"id": "decoy", "name": name, "vault": {"id": "vault_0"}});
        let next = format!("https://elsewhere.test/vault_secrets?page=2&name={name}");
        return json!({"secrets": [decoy], "next_page_uri": next});
    }
    let id = vault(backend)["id"].clone();
    json!({"secrets": [{"id": name, "name": name, "vault": {"id": id}}]})
}

fn answer(request: &Request<Bytes>, backend: &Shared) -> Response<Bytes> {
    let signed = request.headers().get("authorization");
    if signed.is_none_or(|header| header != "Bearer a key") {
        return response(
            401,
            json!({"error_code": "ERR_NGROK_206", "msg": "no"}).to_string(),
        );
    }
    let Ok(mut backend) = backend.lock() else {
        return response(500, "a check panicked");
    };
    if request.uri().host() != Some("api.test") {
        return response(500, "the key went elsewhere");
    }
    let path = request
        .uri()
        .path()
        .strip_prefix("/base")
        .unwrap_or_default();
    let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
    let known = vault(&backend);
    match (request.method(), path) {
        (&Method::GET, "/vaults") => response(200, json!({"vaults": [known]}).to_string()),
        (&Method::GET, "/vault_secrets") => response(200, list(request, &backend).to_string()),
        (&Method::POST, _) => {
            let name = body["name"].as_str().unwrap_or_default().to_owned();
            backend.secrets.insert(name, body);
            response(201, "{}")
        }
        (&Method::GET, path)
            if path == format!("/vaults/{}", known["id"].as_str().unwrap_or("")) =>
        {
            response(200, known.to_string())
        }
        (&Method::PATCH, path) => {
            let name = path.trim_start_matches("/vault_secrets/").to_owned();
            backend.secrets.insert(name, body);
            response(200, "{}")
        }
        (&Method::DELETE, path) => {
            backend
                .secrets
                .remove(path.trim_start_matches("/vault_secrets/"));
            response(204, "")
        }
        _ => response(404, json!({"msg": "no such thing"}).to_string()),
    }
}

#[test]
fn ngrok_keeps_the_contract() {
    assert_conforms(&NgrokSubject::default());
}

fn plugged(backend: &Shared) -> TestServices {
    let backend = Arc::clone(backend);
    let services = services().plugged(scripted(move |request| answer(&request, &backend)));
    services.objects.put_secret(NAMESPACE, "c", "key", "a key");
    services
}

fn item() -> PushItem {
    let source = SecretMap::from_iter([("k".to_owned(), SecretValue::from("v1"))]);
    PushItem {
        secret_key: Some("k".to_owned()),
        ..PushItem::whole(PushTarget::key("new"), source)
    }
}

#[test]
fn a_secret_is_made_with_its_checksum_and_then_replaced() {
    let backend = Shared::default();
    let services = plugged(&backend);
    let store = block_on(Entry::of::<Ngrok>().connect(spec(), services.ctx("s"))).unwrap();

    assert_eq!(block_on(store.push(&item())).unwrap(), Pushed::Created);
    let made = backend.lock().unwrap().secrets["new"].clone();
    assert_eq!(made["vault_id"], "vault_1");
    assert_eq!(made["description"], "Managed by External Secrets Operator");
    let sum = "3bfc269594ef649228e9a74bab00f042efc91d5acc6fbee31a382e80d42388fe";
    assert_eq!(made["metadata"], format!(r#"{{"_sha256":"{sum}"}}"#));

    let typed = PushItem {
        metadata: Some(json!({
            "apiVersion": "kubernetes.external-secrets.io/v1alpha1",
            "kind": "PushSecretMetadata",
            "spec": {"description": "mine", "metadata": {"team": "x"}},
        })),
        ..item()
    };
    assert_eq!(block_on(store.push(&typed)).unwrap(), Pushed::Updated);
    let replaced = backend.lock().unwrap().secrets["new"].clone();
    assert_eq!(replaced["description"], "mine");
    assert_eq!(
        replaced["metadata"],
        format!(r#"{{"_sha256":"{sum}","team":"x"}}"#)
    );
}

#[test]
fn a_vault_that_was_made_anew_is_found_by_its_name() {
    let backend = Shared::default();
    let services = plugged(&backend);
    let store = block_on(Entry::of::<Ngrok>().connect(spec(), services.ctx("s"))).unwrap();
    backend.lock().unwrap().moved = true;

    block_on(store.push(&item())).unwrap();

    assert_eq!(
        backend.lock().unwrap().secrets["new"]["vault_id"],
        "vault_2"
    );
    assert!(block_on(store.exists(&PushTarget::key("new"))).unwrap());
    block_on(store.delete(&PushTarget::key("new"))).unwrap();
    assert!(!block_on(store.exists(&PushTarget::key("new"))).unwrap());
}

#[test]
fn nothing_can_be_read() {
    let services = plugged(&Shared::default());
    let store = block_on(Entry::of::<Ngrok>().connect(spec(), services.ctx("s"))).unwrap();

    let error = block_on(store.get(&RemoteRef::key("x"))).unwrap_err();

    assert_eq!(
        error.to_string(),
        "not implemented - the ngrok provider only supports write operations"
    );
}
