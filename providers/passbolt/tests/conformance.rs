//! Holds the provider to the contract, with a script in place of the server. The script makes the
//! challenge of a sign-in itself and believes only who opened it.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, assert_conforms, block_on, response, scripted, services,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{
    ErrorKind, Provider as _, RemoteRef, SecretValue, Store as _, Tombstone,
};
use lockstep_provider_passbolt::{Passbolt, PassboltSpec};
use serde_json::{Value, json};

use crate::server::{Server, armored_key, id_of};

#[cfg(test)]
#[path = "conformance/server.rs"]
mod server;

#[derive(Default)]
struct PassboltSubject {
    server: Arc<Mutex<Server>>,
}

impl Subject for PassboltSubject {
    type Provider = Passbolt;

    fn spec(&self) -> Value {
        spec()
    }

    fn prepare(&self, objects: &MemoryObjects) {
        prepare(objects);
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        Some(transport(&self.server))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &[
            "passbolt.test/auth",
            "passbolt.test/users",
            "passbolt.test/settings",
            "passbolt.test/metadata",
        ]
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "a password is text")?;
        let mut server = self.server.lock().map_err(|_| "a check panicked")?;
        server
            .secrets
            .insert(id_of(key), (key.to_owned(), text.to_owned()));
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(id_of(key)).property("password")
    }

    fn found_name(&self, key: &str) -> String {
        id_of(key)
    }

    fn found(&self, value: &SecretValue) -> SecretValue {
        let text = value.expose_utf8().unwrap_or_default();
        let name = match self.server.lock() {
            Ok(server) => server.name_of(text),
            Err(_) => String::new(),
        };
        let json = format!(
            r#"{{"name":{},"username":"","password":{},"uri":"","description":""}}"#,
            json!(name),
            json!(text)
        );
        SecretValue::from(json)
    }

    /// A 404 of a list is a wrong address, and one of a resource deletes nothing.
    fn expected(&self, call: Call, status: u16) -> Option<ErrorKind> {
        match (status, call) {
            (404, Call::Find) => Some(ErrorKind::InvalidSpec),
            (404, _) => Some(ErrorKind::Tombstoned(Tombstone {
                state: "missing".into(),
                until: None,
                counts_as_absent: false,
            })),
            _ => StatusCode::from_u16(status).ok().and_then(kind_of),
        }
    }
}

fn spec() -> Value {
    json!({
        "host": "https://passbolt.test",
        "auth": {
            "passwordSecretRef": {"name": "user", "key": "password"},
            "privateKeySecretRef": {"name": "user", "key": "key"},
        },
    })
}

fn prepare(objects: &MemoryObjects) {
    objects.put_secret(NAMESPACE, "user", "password", "unused");
    objects.put_secret(NAMESPACE, "user", "key", armored_key());
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
fn passbolt_keeps_the_contract() {
    assert_conforms(&PassboltSubject::default());
}

#[cfg(test)]
fn connect(server: &Arc<Mutex<Server>>) -> <Passbolt as lockstep_provider_api::Provider>::Store {
    let test = services().plugged(transport(server));
    prepare(&test.objects);
    let spec: PassboltSpec = serde_json::from_value(spec()).unwrap();
    block_on(Passbolt::connect(spec, test.ctx("passbolt"))).unwrap()
}

#[test]
fn encrypted_metadata_is_read_and_its_session_key_is_left_at_the_server() {
    let server = Arc::new(Mutex::new(Server::default()));
    let id = id_of("v5");
    server.lock().unwrap().add_v5(&id, "five", "s3cret-v5");
    let store = connect(&server);

    let first = block_on(store.get(&RemoteRef::key(&id))).unwrap();
    let keys = server.lock().unwrap().session_keys();
    let again = block_on(store.get(&RemoteRef::key(&id))).unwrap();

    let want = r#"{"name":"five","username":"u5","password":"s3cret-v5","uri":"https://five.example","description":""}"#;
    assert_eq!(first, want.into());
    assert_eq!(again, first);
    assert_eq!(keys["object_type"], "PASSBOLT_SESSION_KEYS");
    assert_eq!(keys["session_keys"][0]["foreign_id"], id.as_str());
    assert_eq!(
        server.lock().unwrap().saved,
        1,
        "the second read knew the key"
    );
}

#[test]
fn every_session_is_ended_by_its_last_reader() {
    let server = Arc::new(Mutex::new(Server::default()));
    let id = id_of("a");
    server
        .lock()
        .unwrap()
        .secrets
        .insert(id.clone(), ("a".to_owned(), "v".to_owned()));
    let store = connect(&server);

    block_on(store.get(&RemoteRef::key(&id))).unwrap();

    let server = server.lock().unwrap();
    assert_eq!(server.count(&Method::POST, "/auth/login.json"), 4);
    assert_eq!(server.count(&Method::POST, "/auth/logout.json"), 2);
    assert_eq!(server.open, 0);
}
