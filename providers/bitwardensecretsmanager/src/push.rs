//! Writes: a secret of the same name, note and project is changed where its value differs; otherwise
//! a new one is made. Deletes by id or by name in the store's project.

use lockstep_provider_api::prelude::*;
use serde_json::{Map, Value};

use crate::api::{Api, Draft};
use crate::lookup::{self, is_id};

const NOTE: &str = "note";

/// Writes one key of a Secret, or the whole of it as JSON.
pub(crate) async fn push(api: &Api, item: &PushItem) -> Result<Pushed> {
    let value = item.value()?;
    let metadata = item.metadata.as_ref().or(item.target.metadata.as_ref());
    let draft = Draft {
        key: &item.target.remote_key,
        value: value.expose_utf8()?,
        note: note(metadata)?,
    };
    for secret in lookup::named(api, draft.key).await? {
        if secret.note() != draft.note {
            continue;
        }
        if secret.value() == draft.value {
            return Ok(Pushed::Unchanged);
        }
        api.update(secret.id(), &draft).await?;
        return Ok(Pushed::Updated);
    }
    api.create(&draft).await?;
    Ok(Pushed::Created)
}

/// Deletes a secret; one that is gone already is no error.
pub(crate) async fn delete(api: &Api, target: &PushTarget) -> Result<()> {
    let key = &target.remote_key;
    let deleted = if is_id(key) {
        api.delete(key).await
    } else {
        let Some(secret) = lookup::in_project(api, key).await? else {
            return Ok(());
        };
        api.delete(secret.id()).await
    };
    match deleted {
        Err(error) if error.kind() == &ErrorKind::NotFound => Ok(()),
        deleted => deleted,
    }
}

/// Whether a secret is there. A missing id is an error: a push could only make a secret of that name.
pub(crate) async fn exists(api: &Api, target: &PushTarget) -> Result<bool> {
    let key = &target.remote_key;
    if is_id(key) {
        return lookup::of_id(api, key).await.map(|_| true);
    }
    Ok(lookup::in_project(api, key).await?.is_some())
}

/// The `note` of the entry's metadata.
fn note(metadata: Option<&Value>) -> Result<&str> {
    match metadata {
        None | Some(Value::Null) => Ok(""),
        Some(Value::Object(members)) => {
            let note = dig(members).and_then(Value::as_str);
            Ok(note.unwrap_or_default())
        }
        Some(other) => Err(Error::invalid_spec(format!(
            "failed to fetch note from metadata: failed to parse JSON raw data: \
             json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            kind_of(other)
        ))),
    }
}

/// A kind of JSON in Go's words.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The member `note`, at the top or inside of the first object there. A document of `PushSecretMetadata`
/// has it in its `spec`.
fn dig(members: &Map<String, Value>) -> Option<&Value> {
    members.get(NOTE).or_else(|| {
        let mut objects = members.values().filter_map(Value::as_object);
        objects.next().and_then(dig)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_note_may_be_inside_of_an_object() {
        let found = |metadata: Value| note(Some(&metadata)).map(str::to_owned).ok();

        assert_eq!(found(json!({"note": "n"})).as_deref(), Some("n"));
        assert_eq!(
            found(json!({"kind": "k", "spec": {"note": "n"}})).as_deref(),
            Some("n")
        );
        assert_eq!(found(json!({"note": 5})).as_deref(), Some(""));
        assert_eq!(found(json!({})).as_deref(), Some(""));
        assert_eq!(found(json!("text")), None);
    }
}
