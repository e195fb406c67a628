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
use lockstep_provider_conjur::Conjur;
use serde_json::{Value, json};

type Variables = Arc<Mutex<BTreeMap<String, String>>>;

/// Base64 of `{"token":1}`, which is what the script answers to a sign-in.
const TOKEN: &str = "Token token=\"eyJ0b2tlbiI6MX0=\"";

#[derive(Default)]
struct ConjurSubject {
    variables: Variables,
}

impl Subject for ConjurSubject {
    type Provider = Conjur;

    fn spec(&self) -> Value {
        let key = json!({
            "account": "acc",
            "userRef": {"name": "c", "key": "user"},
            "apiKeyRef": {"name": "c", "key": "key"},
        });
        json!({"url": "https://conjur.test", "auth": {"apikey": key}})
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "user", "host/app");
        objects.put_secret(NAMESPACE, "c", "key", "a key\n");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let variables = Arc::clone(&self.variables);
        Some(scripted(move |request| answer(&request, &variables)))
    }

    fn spared_hosts(&self) -> &'static [&'static str] {
        &["conjur.test/authn/"]
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "a batch gives text")?;
        let mut variables = self.variables.lock().map_err(|_| "a check panicked")?;
        variables.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    fn long_list(&self) -> usize {
        120
    }

    /// A missing variable deletes nothing.
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

fn argument<'a>(request: &'a Request<Bytes>, name: &str) -> Option<&'a str> {
    let query = request.uri().query().unwrap_or_default();
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|pair| pair.0 == name).map(|pair| pair.1)
}

fn answer(request: &Request<Bytes>, variables: &Variables) -> Response<Bytes> {
    let path = request.uri().path();
    if path == "/authn/acc/host%2Fapp/authenticate" {
        let known = request.body() == "a key";
        return response(if known { 200 } else { 401 }, r#"{"token":1}"#);
    }
    let signed = request.headers().get("authorization");
    if signed.is_none_or(|header| header != TOKEN) {
        return response(401, "");
    }
    let Ok(variables) = variables.lock() else {
        return response(500, "a check panicked");
    };
    if path == "/resources/acc/" {
        let offset = argument(request, "offset").and_then(|text| text.parse().ok());
        let shown = variables.keys().skip(offset.unwrap_or(0)).take(100);
        let shown: Vec<_> = shown
            .map(|id| json!({"id": format!("acc:variable:{id}"), "annotations": []}))
            .collect();
        return response(200, json!(shown).to_string());
    }
    if path == "/secrets/" {
        let wanted = argument(request, "variable_ids").unwrap_or_default();
        let wanted = wanted
            .replace("%3A", ":")
            .replace("%2C", ",")
            .replace("%2F", "/");
        let found: BTreeMap<_, _> = wanted
            .split(',')
            .filter_map(|id| Some((id, variables.get(id.splitn(3, ':').nth(2)?)?)))
            .collect();
        return response(200, json!(found).to_string());
    }
    let id = path
        .strip_prefix("/secrets/acc/variable/")
        .unwrap_or_default();
    match variables.get(&id.replace("%2F", "/")) {
        Some(value) => response(200, value.clone()),
        None => response(404, "{}"),
    }
}

#[test]
fn conjur_keeps_the_contract() {
    assert_conforms(&ConjurSubject::default());
}
