//! Holds the provider to the contract, with a script in place of the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, Response};
use lockstep_provider_api::conformance::{
    MemoryObjects, NAMESPACE, Subject, Topic, assert_conforms, response, scripted,
};
use lockstep_provider_api::http::{StatusCode, Transport, kind_of};
use lockstep_provider_api::json::Value as Decoded;
use lockstep_provider_api::layer::Call;
use lockstep_provider_api::{ErrorKind, SecretValue};
use lockstep_provider_kit::yaml::decode;
use lockstep_provider_pulumi::Pulumi;
use serde_json::{Value, json};

type Values = Arc<Mutex<BTreeMap<String, String>>>;

const ENVIRONMENT: &str = "/api/esc/environments/org/p/e";

#[derive(Default)]
struct PulumiSubject {
    values: Values,
}

impl Subject for PulumiSubject {
    type Provider = Pulumi;

    fn spec(&self) -> Value {
        json!({
            "organization": "org",
            "project": "p",
            "environment": "e",
            "auth": {"accessToken": {"secretRef": {"name": "c", "key": "token"}}},
        })
    }

    fn prepare(&self, objects: &MemoryObjects) {
        objects.put_secret(NAMESPACE, "c", "token", "a token\n");
    }

    fn transport(&self) -> Option<Arc<dyn Transport>> {
        let values = Arc::clone(&self.values);
        Some(scripted(move |request| answer(&request, &values)))
    }

    async fn seed(&self, key: &str, value: &SecretValue) -> Result<(), &'static str> {
        let text = value.expose_utf8().map_err(|_| "values are text")?;
        let mut values = self.values.lock().map_err(|_| "a check panicked")?;
        values.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    fn holds(&self, value: &SecretValue) -> Result<(), &'static str> {
        value.expose_utf8().map(drop).map_err(|_| "values are text")
    }

    /// The first request opens the environment: a 404 there says nothing about a value.
    fn expected(&self, _call: Call, status: u16) -> Option<ErrorKind> {
        if status == 404 {
            return Some(ErrorKind::InvalidSpec);
        }
        StatusCode::from_u16(status).ok().and_then(kind_of)
    }

    fn waives(&self, topic: Topic) -> Option<&'static str> {
        match topic {
            Topic::Writes => Some("every push replaces the definition, as upstream's does"),
            _ => None,
        }
    }
}

fn answer(request: &Request<Bytes>, values: &Values) -> Response<Bytes> {
    let signed = request.headers().get("authorization");
    if signed.is_none_or(|header| header != "token a token") {
        return response(401, "{}");
    }
    let Ok(mut values) = values.lock() else {
        return response(500, "a check panicked");
    };
    let path = request.uri().path();
    let path = path.strip_prefix(ENVIRONMENT).unwrap_or_default();
    match (request.method(), path) {
        (&Method::POST, "/open") => response(200, r#"{"id":"s"}"#),
        (&Method::GET, "/open/s") => {
            let members = values
                .iter()
                .map(|(name, value)| (name, json!({"value": value, "trace": {}})));
            let members: BTreeMap<_, _> = members.collect();
            response(200, json!({ "properties": members }).to_string())
        }
        (&Method::GET, "/open//s") => {
            let query = request.uri().query().unwrap_or_default();
            let name = query.strip_prefix("property=").unwrap_or_default();
            match values.get(name) {
                Some(value) => response(200, json!({ "value": value, "trace": {} }).to_string()),
                None => response(404, "{}"),
            }
        }
        (&Method::PATCH, "") => match written(request.body()) {
            Some(new) => {
                *values = new;
                response(200, "{}")
            }
            None => response(400, "{}"),
        },
        _ => response(405, "{}"),
    }
}

/// The texts of a definition.
fn written(body: &Bytes) -> Option<BTreeMap<String, String>> {
    let Ok(Decoded::Object(mut definition)) = decode(body) else {
        return None;
    };
    let Some(Decoded::Object(values)) = definition.remove("values") else {
        return None;
    };
    let texts = values.into_iter().map(|(name, value)| match value {
        Decoded::String(text) => Some((name, text)),
        _ => None,
    });
    texts.collect()
}

#[test]
fn pulumi_keeps_the_contract() {
    assert_conforms(&PulumiSubject::default());
}
