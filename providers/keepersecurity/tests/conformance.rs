//! Holds the provider to the contract, with a script in place of Keeper. The script opens and checks
//! every request with the other halves of the keys, and answers as Keeper does.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, Topic, assert_conforms, block_on, response, scripted,
    services,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::json::{Value as Json, marshal_escaped};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{
    ErrorKind, Provider, PushItem, PushTarget, Pushed, RemoteRef, SecretMap, SecretValue,
    Store as _,
};
use lockstep_provider_keepersecurity::{KeepersecuritySpec, KeepersecurityStore, WithKeys};
use serde_json::{Value, json};

use crate::server::{FOLDER, Server, TestKeys, config};

#[cfg(test)]
#[path = "conformance/server.rs"]
mod server;

/// The custom field that the suite reads and writes.
const FIELD: &str = "value";
/// Longest value that the suite keeps.
const MAX_FIELD: usize = 16 << 10;

#[derive(Default)]
struct KeeperSubject {
    server: Arc<Mutex<Server>>,
}

impl Subject for KeeperSubject {
    type Provider = WithKeys<TestKeys>;

    fn spec(&self) -> Value {
        spec()
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "keeper", "config", config());
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        Some(transport(&self.server))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        self.holds(value)?;
        let text = value.expose_utf8().map_err(|_| "a field is text")?;
        let mut server = self.server.lock().map_err(|_| "a check panicked")?;
        let field = json!({"type": "secret", "label": FIELD, "value": [text]});
        let record = json!({
            "title": title(key), "type": "externalSecrets", "fields": [], "custom": [field],
        });
        server.put(&format!("uid-{}", title(key)), &record);
        Ok(())
    }

    fn holds(&self, value: &SecretValue) -> Result<(), &'static str> {
        if value.len() > MAX_FIELD {
            return Err("every read encrypts all records, which takes a test build long");
        }
        value.expose_utf8().map(drop).map_err(|_| "a field is text")
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(title(key)).property(FIELD)
    }

    fn target(&self, key: &str) -> PushTarget {
        PushTarget::key(format!("{}/{FIELD}", title(key)))
    }

    fn found_name(&self, key: &str) -> String {
        title(key)
    }

    fn found(&self, value: &SecretValue) -> SecretValue {
        let text = value.expose_utf8().unwrap_or_default();
        let title = match self.server.lock() {
            Ok(server) => server.title_of(text),
            Err(_) => String::new(),
        };
        let string = |text: &str| marshal_escaped(&Json::String(text.to_owned()));
        SecretValue::from(format!(
            r#"{{"title":{},"type":"externalSecrets","fields":[],"custom":[{{"type":"secret","label":"value","value":[{}]}}],"files":null}}"#,
            string(&title),
            string(text)
        ))
    }

    /// Keeper says that a record is missing with an empty list; a 404 is a wrong address.
    fn expected(&self, _call: Call, status: u16) -> Option<ErrorKind> {
        if status == 404 {
            return Some(ErrorKind::InvalidSpec);
        }
        StatusCode::from_u16(status).ok().and_then(kind_of)
    }

    fn waives(&self, topic: Topic) -> Option<&'static str> {
        match topic {
            Topic::Deletes => Some("a missing record deletes nothing, so it is no absence"),
            _ => None,
        }
    }
}

/// A title without the slash that divides it from the field.
fn title(key: &str) -> String {
    key.replace('/', "-")
}

fn spec() -> Value {
    json!({
        "authRef": {"name": "keeper", "key": "config"},
        "folderID": FOLDER,
        "getByTitleFallback": true,
    })
}

fn transport(server: &Arc<Mutex<Server>>) -> Arc<dyn Transport> {
    let server = Arc::clone(server);
    scripted(move |request| answer(&request, &server))
}

fn answer(request: &Request<Bytes>, server: &Mutex<Server>) -> Response<Bytes> {
    match server.lock() {
        Ok(mut server) => server.answer(request),
        Err(_) => response(500, "a check panicked"),
    }
}

#[test]
fn keepersecurity_keeps_the_contract() {
    assert_conforms(&KeeperSubject::default());
}

#[cfg(test)]
fn connect(server: &Arc<Mutex<Server>>) -> KeepersecurityStore {
    let test = services().plugged(transport(server));
    test.objects
        .put_secret(NAMESPACE, "keeper", "config", config());
    let spec: KeepersecuritySpec = serde_json::from_value(spec()).unwrap();
    block_on(WithKeys::<TestKeys>::connect(spec, test.ctx("keeper"))).unwrap()
}

#[cfg(test)]
fn item(remote_key: &str, value: &str) -> PushItem {
    let source = SecretMap::from_iter([("k".to_owned(), SecretValue::from(value))]);
    PushItem {
        secret_key: Some("k".to_owned()),
        ..PushItem::whole(PushTarget::key(remote_key), source)
    }
}

#[test]
fn a_record_is_read_by_its_uid_with_its_files() {
    let server = Arc::new(Mutex::new(Server::default()));
    let record =
        json!({"title": "t", "type": "login", "fields": [{"type": "login", "value": ["u"]}]});
    server.lock().unwrap().put("uid-1", &record);
    server
        .lock()
        .unwrap()
        .attach("uid-1", "key.pem", b"\xffPEM");
    let store = connect(&server);

    let file = block_on(store.get(&RemoteRef::key("uid-1").property("key.pem"))).unwrap();
    let map = block_on(store.get_map(&RemoteRef::key("uid-1"))).unwrap();

    assert_eq!(file.expose(), b"\xffPEM");
    assert_eq!(map.keys().collect::<Vec<_>>(), ["key.pem", "login"]);
}

#[test]
fn another_key_of_the_server_is_used_when_it_asks_for_it() {
    let server = Arc::new(Mutex::new(Server::default()));
    server.lock().unwrap().wanted_key = "11";
    server
        .lock()
        .unwrap()
        .put("uid-1", &json!({"title": "t", "type": "x"}));
    let store = connect(&server);

    let read = block_on(store.get(&RemoteRef::key("uid-1")));

    assert!(read.is_ok());
    assert_eq!(server.lock().unwrap().key_ids, ["10", "11"]);
}

#[test]
fn a_title_that_two_records_have_is_refused() {
    let server = Arc::new(Mutex::new(Server::default()));
    for uid in ["uid-1", "uid-2"] {
        server
            .lock()
            .unwrap()
            .put(uid, &json!({"title": "t", "type": "externalSecrets"}));
    }
    let store = connect(&server);

    let read = block_on(store.get(&RemoteRef::key("t"))).unwrap_err();
    let push = block_on(store.push(&item("t/login", "x"))).unwrap_err();

    assert_eq!(read.to_string(), "more than 1 secret t found");
    assert_eq!(push.to_string(), "more than 1 secret t found");
}

#[test]
fn a_typed_field_is_made_updated_and_left_alone() {
    let server = Arc::new(Mutex::new(Server::default()));
    let store = connect(&server);
    let push = |remote_key: &str, value: &str| block_on(store.push(&item(remote_key, value)));

    assert_eq!(push("app/username", "u1").unwrap(), Pushed::Created);
    assert_eq!(push("app/username", "u1").unwrap(), Pushed::Unchanged);
    assert_eq!(push("app/LOGIN", "u2").unwrap(), Pushed::Updated);
    let missing = push("app/password", "p").unwrap_err().to_string();

    let read = block_on(store.get(&RemoteRef::key("app").property("login"))).unwrap();
    assert_eq!(read, "u2".into());
    assert_eq!(
        missing,
        "secret app does not contain any field of type password"
    );
}

#[test]
fn a_deleted_record_is_gone_and_can_be_deleted_again() {
    let server = Arc::new(Mutex::new(Server::default()));
    let store = connect(&server);
    block_on(store.push(&item("app/token", "v"))).unwrap();

    for _ in 0..2 {
        block_on(store.delete(&PushTarget::key("app/token"))).unwrap();
    }

    let error = block_on(store.get(&RemoteRef::key("app"))).unwrap_err();
    assert_eq!(error.to_string(), "no secrets found");
    assert!(!error.consequence().absent);
}

#[test]
fn records_of_other_types_are_neither_written_nor_deleted() {
    let server = Arc::new(Mutex::new(Server::default()));
    server
        .lock()
        .unwrap()
        .put("uid-1", &json!({"title": "app", "type": "login"}));
    let store = connect(&server);

    block_on(store.delete(&PushTarget::key("app/x"))).unwrap();
    let pushed = block_on(store.push(&item("app/x", "v"))).unwrap();

    assert_eq!(pushed, Pushed::Created);
    assert_eq!(server.lock().unwrap().len(), 2);
}
