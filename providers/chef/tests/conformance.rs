//! Holds the provider to the contract, with a script in place of the server. That signatures are right is
//! tested beside the code that makes them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, RemoteRef, SecretValue, Tombstone};
use lockstep_provider_chef::Chef;
use serde_json::{Value, json};

type Items = Arc<Mutex<BTreeMap<String, String>>>;

#[derive(Default)]
struct ChefSubject {
    items: Items,
}

impl Subject for ChefSubject {
    type Provider = Chef;

    fn spec(&self) -> Value {
        json!({
            "username": "reader",
            "serverUrl": "https://chef.test/organizations/shop/",
            "auth": {"secretRef": {"privateKeySecretRef": {"name": "c", "key": "pem"}}},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "pem", include_str!("pkcs8.pem"));
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let items = Arc::clone(&self.items);
        Some(scripted(move |request| answer(&request, &items)))
    }

    /// An item is an object; the value is a member of it.
    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value
            .expose_utf8()
            .map_err(|_| "the server holds text only")?;
        let mut items = self.items.lock().map_err(|_| "a check panicked")?;
        let item = json!({"id": key, "value": text});
        items.insert(key.to_owned(), item.to_string());
        Ok(())
    }

    fn reference(&self, key: &str) -> RemoteRef {
        RemoteRef::key(format!("bag/{key}")).property("value")
    }

    /// A missing item deletes nothing.
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

fn answer(request: &Request<Bytes>, items: &Items) -> Response<Bytes> {
    let signed = request.headers().contains_key("x-ops-authorization-6");
    if !signed
        || request
            .headers()
            .get("x-ops-userid")
            .is_none_or(|user| user != "reader")
    {
        return response(401, "{}");
    }
    let path = request.uri().path();
    let item = path.strip_prefix("/organizations/shop/data/bag/");
    let found = items
        .lock()
        .ok()
        .and_then(|items| items.get(item?).cloned());
    match found {
        Some(item) => response(200, item),
        None => response(404, r#"{"error":["Cannot load data bag item"]}"#),
    }
}

#[test]
fn chef_keeps_the_contract() {
    assert_conforms(&ChefSubject::default());
}
