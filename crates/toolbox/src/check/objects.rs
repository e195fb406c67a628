//! Reads from one manifest what matters for a ruling: its kind, the providers and generators it names,
//! the stores it uses, and the flags of a Deployment of the operator.

use serde_json::Value;

pub(super) const GROUP: &str = "external-secrets.io";
pub(super) const GENERATORS: &str = "generators.external-secrets.io";

/// Group and version of an object.
pub(super) fn group_version(object: &Value) -> (&str, &str) {
    let api_version = object["apiVersion"].as_str().unwrap_or_default();
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// Namespace and name, as people write them.
pub(super) fn name(object: &Value) -> String {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
    let name = text("/metadata/name").unwrap_or("(unnamed)");
    match text("/metadata/namespace") {
        Some(namespace) => format!("{namespace}/{name}"),
        None => name.to_owned(),
    }
}

/// Providers a store names.
pub(super) fn providers(store: &Value) -> Vec<&str> {
    let union = store.pointer("/spec/provider").and_then(Value::as_object);
    let named = union.into_iter().flatten();
    let named = named.filter(|(_, settings)| !settings.is_null());
    named.map(|(name, _)| name.as_str()).collect()
}

/// The kind a generator object makes values of: that inside a ClusterGenerator.
pub(super) fn generator_kind(object: &Value) -> &str {
    let kind = object["kind"].as_str().unwrap_or_default();
    if kind == lockstep_generators::CLUSTER_KIND {
        let inner = object.pointer("/spec/kind").and_then(Value::as_str);
        return inner.unwrap_or(kind);
    }
    kind
}

/// Stores that an object reads from or writes to: kind, namespace where it has one, and name.
pub(super) fn stores(object: &Value) -> Vec<(String, String, String)> {
    let mut references = Vec::new();
    collect(&object["spec"], &mut references);
    let namespace = object
        .pointer("/metadata/namespace")
        .and_then(Value::as_str);
    let namespace = namespace.unwrap_or("default");
    let stores = references.into_iter().filter_map(|reference| {
        let name = reference["name"].as_str()?.to_owned();
        let kind = reference["kind"]
            .as_str()
            .unwrap_or("SecretStore")
            .to_owned();
        let namespace = if kind == "SecretStore" { namespace } else { "" };
        Some((kind, namespace.to_owned(), name))
    });
    stores.collect()
}

/// References to stores anywhere in a spec, by the names of their fields.
fn collect<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(fields) => {
            for (name, below) in fields {
                match (name.as_str(), below) {
                    ("secretStoreRef" | "storeRef", Value::Object(_)) => found.push(below),
                    ("secretStoreRefs", Value::Array(items)) => found.extend(items),
                    _ => collect(below, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

/// Flags of the operator's containers in a Deployment or Pod; nothing for those of other programs.
pub(super) fn operator_flags(object: &Value) -> Vec<&str> {
    let pod = match object["kind"].as_str() {
        Some("Deployment") => object.pointer("/spec/template/spec"),
        Some("Pod") => object.get("spec"),
        _ => None,
    };
    let containers = pod.and_then(|pod| pod["containers"].as_array());
    let containers = containers.into_iter().flatten();
    let ours = containers.filter(|container| {
        let image = container["image"].as_str().unwrap_or_default();
        image.contains("external-secrets") || image.contains("lockstep")
    });
    let words = ours.flat_map(|container| ["command", "args"].map(|field| &container[field]));
    let words = words.filter_map(Value::as_array).flatten();
    let flags = words.filter_map(Value::as_str);
    flags.filter(|word| word.starts_with("--")).collect()
}
