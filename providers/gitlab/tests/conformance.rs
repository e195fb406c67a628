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
use lockstep_provider_api::{ErrorKind, Find, SecretValue, Tombstone};
use lockstep_provider_gitlab::Gitlab;
use serde_json::{Value, json};

type Variables = Arc<Mutex<BTreeMap<String, String>>>;

const PAGE: usize = 10;

#[derive(Default)]
struct GitlabSubject {
    variables: Variables,
}

/// Names of variables have no hyphens.
fn name(key: &str) -> String {
    key.replace('-', "_")
}

impl Subject for GitlabSubject {
    type Provider = Gitlab;

    fn spec(&self) -> Value {
        json!({
            "url": "https://gitlab.test",
            "projectID": "42",
            "auth": {"SecretRef": {"accessToken": {"name": "c", "key": "token"}}},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "token", "a token\n");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let variables = Arc::clone(&self.variables);
        Some(scripted(move |request| answer(&request, &variables)))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "variables are text")?;
        if text.is_empty() {
            return Err("an empty variable is refused");
        }
        let mut variables = self.variables.lock().map_err(|_| "a check panicked")?;
        variables.insert(name(key), text.to_owned());
        Ok(())
    }

    fn search(&self, prefix: &str) -> Find {
        Find {
            name: Some(format!("^{}", name(prefix))),
            ..Find::default()
        }
    }

    fn found_name(&self, key: &str) -> String {
        name(key)
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

fn shown(name: &str, value: &str) -> Value {
    json!({"key": name, "value": value, "environment_scope": "*"})
}

fn answer(request: &Request<Bytes>, variables: &Variables) -> Response<Bytes> {
    let signed = request.headers().get("private-token");
    if signed.is_none_or(|header| header != "a token") {
        return response(401, "{}");
    }
    let Ok(variables) = variables.lock() else {
        return response(500, "a check panicked");
    };
    let all = "/api/v4/projects/42/variables";
    let path = request.uri().path();
    if path == all {
        let query = request.uri().query().unwrap_or_default();
        let page = query.split('&').find_map(|pair| pair.strip_prefix("page="));
        let page: usize = page.and_then(|page| page.parse().ok()).unwrap_or(1);
        let shown: Vec<_> = variables
            .iter()
            .map(|(name, value)| shown(name, value))
            .collect();
        let chunks: Vec<_> = shown.chunks(PAGE).collect();
        let body = chunks
            .get(page - 1)
            .map(|chunk| json!(chunk))
            .unwrap_or(json!([]));
        let mut answer = response(200, body.to_string());
        let total = http::HeaderValue::from(chunks.len());
        answer.headers_mut().insert("x-total-pages", total);
        return answer;
    }
    let name = path.strip_prefix(&format!("{all}/")).unwrap_or_default();
    match variables.get(name) {
        Some(value) => response(200, shown(name, value).to_string()),
        None => response(404, "{}"),
    }
}

#[test]
fn gitlab_keeps_the_contract() {
    assert_conforms(&GitlabSubject::default());
}
