//! The spec's schema is upstream's, so every manifest that was accepted before still is.

use lockstep_provider_api::Entry;
use lockstep_provider_kubernetes::Kubernetes;
use serde_json::{Map, Value, json};

const NAME: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
const NAMESPACE: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
const KEY: &str = r"^[-._a-zA-Z0-9]+$";

fn text(pattern: &str, longest: u32) -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": longest, "pattern": pattern })
}

fn object(properties: Value, required: Value) -> Value {
    let mut schema = json!({ "type": "object", "properties": properties });
    if required != json!([]) {
        schema["required"] = required;
    }
    schema
}

fn upstream() -> Value {
    let (name, namespace, key) = (text(NAME, 253), text(NAMESPACE, 63), text(KEY, 253));
    let selector = object(
        json!({ "key": key, "name": name, "namespace": namespace }),
        json!([]),
    );
    let audiences = json!({ "type": "array", "items": { "type": "string" } });
    let account = object(
        json!({ "audiences": audiences, "name": name, "namespace": namespace }),
        json!(["name"]),
    );
    let source = json!({ "type": "string", "enum": ["Secret", "ConfigMap"] });
    let ca_provider = object(
        json!({ "key": key, "name": name, "namespace": namespace, "type": source }),
        json!(["name", "type"]),
    );
    let url = json!({ "type": "string", "default": "kubernetes.default" });
    let bundle = json!({ "type": "string", "format": "byte" });
    let server = object(
        json!({ "caBundle": bundle, "caProvider": ca_provider, "url": url }),
        json!([]),
    );
    let cert = object(
        json!({ "clientCert": selector, "clientKey": selector }),
        json!(["clientCert", "clientKey"]),
    );
    let token = object(json!({ "bearerToken": selector }), json!(["bearerToken"]));
    let mut auth = object(
        json!({ "cert": cert, "serviceAccount": account, "token": token }),
        json!([]),
    );
    auth["minProperties"] = 1.into();
    auth["maxProperties"] = 1.into();
    let mut remote = namespace;
    remote["default"] = "default".into();
    object(
        json!({ "auth": auth, "authRef": selector, "remoteNamespace": remote, "server": server }),
        json!([]),
    )
}

/// The schema as a CRD has it: references resolved, prose and nulls left out.
fn plain(schema: &Value, definitions: &Map<String, Value>) -> Value {
    let Some(keywords) = schema.as_object() else {
        return schema.clone();
    };
    if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next().unwrap();
        return plain(&definitions[name], definitions);
    }
    for choice in ["allOf", "anyOf"] {
        if let Some(alternatives) = keywords.get(choice).and_then(Value::as_array) {
            return plain(&alternatives[0], definitions);
        }
    }
    if let Some(alternatives) = keywords.get("oneOf").and_then(Value::as_array) {
        let named = alternatives.iter().map(|one| match one.get("enum") {
            Some(names) => names[0].clone(),
            None => one["const"].clone(),
        });
        return json!({ "type": "string", "enum": named.collect::<Vec<_>>() });
    }
    let prose = ["description", "title", "nullable", "$schema", "components"];
    let mut out = Map::new();
    for (keyword, value) in keywords {
        if prose.contains(&keyword.as_str()) {
            continue;
        }
        let value = match (keyword.as_str(), value) {
            ("properties", Value::Object(fields)) => fields
                .iter()
                .map(|(field, schema)| (field.clone(), plain(schema, definitions)))
                .collect(),
            ("items", items) => plain(items, definitions),
            // An optional field may be null for schemars; a CRD has no word for it.
            ("type", Value::Array(types)) => types[0].clone(),
            _ => value.clone(),
        };
        out.insert(keyword.clone(), value);
    }
    Value::Object(out)
}

#[test]
fn the_schema_is_that_of_upstream() {
    let schema = Entry::of::<Kubernetes>().schema().to_value();
    let definitions = schema["components"]["schemas"].as_object().unwrap();

    assert_eq!(plain(&schema, definitions), upstream());
}

#[test]
fn every_field_is_described() {
    fn described(place: &str, schema: &Value) {
        for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
            let place = format!("{place}.{field}");
            assert!(schema["description"].is_string(), "{place}");
            described(&place, schema);
        }
    }
    let schema = Entry::of::<Kubernetes>().schema().to_value();

    described("kubernetes", &schema);
    for (name, definition) in schema["components"]["schemas"].as_object().unwrap() {
        described(name, definition);
    }
}
