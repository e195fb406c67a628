//! What objects look like in answers: whole, in lists, and keys without their private part.

use serde_json::{Map, Value, json};

use super::objects::Place;
use super::words::Refusal;

/// One version of an object.
#[derive(Clone, Default)]
pub(super) struct Version {
    pub(super) id: String,
    /// `value`, `contentType`, `key` or `cer`, as they are answered.
    pub(super) content: Map<String, Value>,
    pub(super) tags: Value,
    pub(super) attributes: Map<String, Value>,
}

pub(super) fn missing(place: &Place<'_>, name: &str) -> Refusal {
    let noun = place.kind.noun();
    let text = format!(
        "A {} with (name/id) {name} was not found in this key vault.",
        noun.to_lowercase()
    );
    Refusal::new(404, &format!("{noun}NotFound"), &text)
}

pub(super) fn level(protected: bool) -> &'static str {
    if protected {
        "Recoverable"
    } else {
        "Recoverable+Purgeable"
    }
}

pub(super) fn merge(into: &mut Map<String, Value>, more: &Value) {
    for (name, value) in more.as_object().into_iter().flatten() {
        if !value.is_null() {
            into.insert(name.clone(), value.clone());
        }
    }
}

pub(super) fn item(place: &Place<'_>, name: &str, version: &Version) -> Value {
    let mut item = bundle(place, name, version);
    if let Some(members) = item.as_object_mut() {
        members.remove("value");
        members.remove("cer");
        if let Some(key) = members.remove("key") {
            members.insert("kid".to_owned(), key["kid"].clone());
        }
    }
    item
}

pub(super) fn bundle(place: &Place<'_>, name: &str, version: &Version) -> Value {
    let id = format!(
        "https://{}/{}/{name}/{}",
        place.host,
        place.kind.path(),
        version.id
    );
    let mut answer = version.content.clone();
    match answer.get_mut("key") {
        Some(key) => key["kid"] = json!(id),
        None => drop(answer.insert("id".to_owned(), json!(id))),
    }
    answer.insert(
        "attributes".to_owned(),
        Value::Object(version.attributes.clone()),
    );
    if !version.tags.is_null() {
        answer.insert("tags".to_owned(), version.tags.clone());
    }
    Value::Object(answer)
}

/// The public part of an imported key, or a new one that nobody uses.
pub(super) fn public_key(body: &Value) -> Result<Value, Refusal> {
    let key = if body["key"].is_object() {
        &body["key"]
    } else {
        body
    };
    let kind = key["kty"].as_str().unwrap_or_default();
    if !["RSA", "EC", "RSA-HSM", "EC-HSM"].contains(&kind) {
        let text = format!("The key type {kind} is not supported by this vault.");
        return Err(Refusal::new(400, "BadParameter", &text));
    }
    let mut public = Map::from_iter([("kty".to_owned(), json!(kind))]);
    for name in ["n", "e", "crv", "x", "y"] {
        if !key[name].is_null() {
            public.insert(name.to_owned(), key[name].clone());
        }
    }
    let standard = if kind.starts_with("RSA") {
        json!([
            "sign",
            "verify",
            "encrypt",
            "decrypt",
            "wrapKey",
            "unwrapKey"
        ])
    } else {
        json!(["sign", "verify"])
    };
    let wanted = &key["key_ops"];
    public.insert(
        "key_ops".to_owned(),
        if wanted.is_array() {
            wanted.clone()
        } else {
            standard
        },
    );
    if !public.contains_key("n") && kind == "RSA" {
        public.insert("n".to_owned(), json!("AQAB"));
        public.insert("e".to_owned(), json!("AQAB"));
    }
    Ok(Value::Object(public))
}
