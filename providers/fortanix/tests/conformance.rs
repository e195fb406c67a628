//! Holds the provider to the contract, with a script in place of the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, SecretValue, Tombstone};
use lockstep_provider_fortanix::Fortanix;
use lockstep_provider_kit::base64::{Encoding, encode};
use serde_json::{Value, json};

/// Values in base64 by name; the id of an object is its name.
type Objects = Arc<Mutex<BTreeMap<String, String>>>;

#[derive(Default)]
struct FortanixSubject {
    objects: Objects,
}

impl Subject for FortanixSubject {
    type Provider = Fortanix;

    fn spec(&self) -> Value {
        json!({
            "apiUrl": "https://fortanix.test/",
            "apiKey": {"secretRef": {"name": "c", "key": "key"}},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "key", "a-key\n");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let objects = Arc::clone(&self.objects);
        Some(scripted(move |request| answer(&request, &objects)))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let mut objects = self.objects.lock().map_err(|_| "a check panicked")?;
        objects.insert(key.to_owned(), encode(Encoding::Standard, value.expose()));
        Ok(())
    }

    /// A missing object deletes nothing.
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

fn answer(request: &Request<Bytes>, objects: &Objects) -> Response<Bytes> {
    let signed = request.headers().get("authorization");
    if signed.is_none_or(|header| header != "Basic a-key") {
        return response(401, "Authentication failed");
    }
    let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
    let value = |name: &Value| {
        let objects = objects.lock().ok()?;
        objects.get(name.as_str()?).cloned()
    };
    match request.uri().path() {
        "/crypto/v1/keys/info" => match value(&body["name"]) {
            Some(_) => {
                let object = json!({"kid": body["name"], "obj_type": "SECRET"});
                response(200, object.to_string())
            }
            None => response(404, "sobject does not exist"),
        },
        "/crypto/v1/keys/export" => {
            let object = json!({"obj_type": "SECRET", "value": value(&body["kid"])});
            response(200, object.to_string())
        }
        _ => response(405, ""),
    }
}

#[test]
fn fortanix_keeps_the_contract() {
    assert_conforms(&FortanixSubject::default());
}
