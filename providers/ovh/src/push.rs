//! Writes: the data of a secret is replaced as a whole where it differs. A value that is JSON is
//! embedded as such; with a property everything is nested below it.

use lockstep_provider_api::json::{decode, to_secret};
use lockstep_provider_api::prelude::*;
use serde_json::{Map, Value};

use crate::api::Api;

/// Writes one key of a Secret, or all of them.
pub(crate) async fn push(api: &Api, item: &PushItem) -> Result<Pushed> {
    let path = &item.target.remote_key;
    let pushed = write(api, item).await;
    pushed.map_err(|error| error.context(format!("failed to push secret at path {path:?}")))
}

async fn write(api: &Api, item: &PushItem) -> Result<Pushed> {
    if item.source.is_empty() {
        return Err(Error::invalid_spec("provided secret is empty"));
    }
    let path = &item.target.remote_key;
    let held = match api.read(path, None).await {
        Err(error) if error.kind() == &ErrorKind::NotFound => {
            let created = api.create(path, &data(item)?).await;
            created.map_err(|error| error.context("could not create remote secret"))?;
            return Ok(Pushed::Created);
        }
        held => held?,
    };
    let data = data(item)?;
    if is_same(&held.data, &data) {
        return Ok(Pushed::Unchanged);
    }
    let replaced = held.current.filter(|_| api.cas);
    let updated = api.update(path, &data, replaced).await;
    updated.map_err(|error| error.context("could not update remote secret"))?;
    Ok(Pushed::Updated)
}

/// Whether both are the same JSON; numbers are compared by value, not by spelling, as `held` spells
/// them.
fn is_same(held: &SecretValue, data: &Value) -> bool {
    let data = decode(&SecretValue::from(data.to_string()));
    data.is_ok_and(|data| &to_secret(&data) == held)
}

/// Deletes a secret; one that is gone already is no error.
pub(crate) async fn delete(api: &Api, target: &PushTarget) -> Result<()> {
    let path = &target.remote_key;
    match api.delete(path).await {
        Err(error) if error.kind() == &ErrorKind::NotFound => Ok(()),
        deleted => deleted
            .map_err(|error| error.context(format!("failed to delete secret at path {path:?}"))),
    }
}

/// Whether a secret is there.
pub(crate) async fn exists(api: &Api, target: &PushTarget) -> Result<bool> {
    let path = &target.remote_key;
    let exists = api.exists(path).await;
    exists.map_err(|error| error.context(format!("failed to check existence of secret {path:?}")))
}

fn data(item: &PushItem) -> Result<Value> {
    let mut data = Map::new();
    match item.wanted_key() {
        Some(key) => {
            data.insert(key.to_owned(), embedded(&item.value()?)?);
        }
        None => {
            for (key, value) in item.source.iter() {
                data.insert(key.to_owned(), embedded(value)?);
            }
        }
    }
    let data = Value::Object(data);
    Ok(match item.target.wanted_property() {
        Some(property) => Value::Object(Map::from_iter([(property.to_owned(), data)])),
        None => data,
    })
}

fn embedded(value: &SecretValue) -> Result<Value> {
    match serde_json::from_slice(value.expose()) {
        Ok(json) => Ok(json),
        Err(_) => Ok(Value::from(value.expose_utf8()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(key: Option<&str>, property: Option<&str>) -> PushItem {
        let source = [("a", "text"), ("j", r#"{"x":[1,2]}"#), ("n", "5432")];
        let source = source.map(|(key, value)| (key.to_owned(), SecretValue::from(value)));
        let target = PushTarget {
            property: property.map(str::to_owned),
            ..PushTarget::key("app/new")
        };
        PushItem {
            secret_key: key.map(str::to_owned),
            ..PushItem::whole(target, SecretMap::from_iter(source))
        }
    }

    #[test]
    fn json_values_are_embedded() {
        let whole = data(&item(None, None)).unwrap();

        let want = serde_json::json!({"a": "text", "j": {"x": [1, 2]}, "n": 5432});
        assert_eq!(whole, want);
    }

    #[test]
    fn numbers_are_the_same_however_they_are_spelt() {
        let data = serde_json::json!({"n": 1.0, "o": {"b": 2, "a": "x"}});

        assert!(is_same(&r#"{"n":1,"o":{"a":"x","b":2}}"#.into(), &data));
        assert!(!is_same(&r#"{"n":1,"o":{"a":"x","b":3}}"#.into(), &data));
    }

    #[test]
    fn a_property_nests_the_key() {
        let nested = data(&item(Some("a"), Some("p"))).unwrap();

        assert_eq!(nested, serde_json::json!({"p": {"a": "text"}}));
    }
}
