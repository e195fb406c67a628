//! Writes: the data of a secret is replaced as a whole where it differs. A value that is JSON is
//! embedded as such; with a property everything is nested below it.

use lockstep_provider_api::prelude::*;
use serde_json::{Map, Value};

use crate::api::Api;

/// Writes one key of a Secret, or all of them.
pub(crate) async fn push(api: &Api, item: &PushItem) -> Result<Pushed> {
    let data = data(item)?;
    let path = &item.target.remote_key;
    match api.read(path, None).await {
        Err(error) if error.kind() == &ErrorKind::NotFound => {
            api.create(path, &data).await?;
            Ok(Pushed::Created)
        }
        Err(error) => Err(error),
        Ok(held) => {
            let same = serde_json::from_slice::<Value>(held.data.expose());
            if same.is_ok_and(|held| held == data) {
                return Ok(Pushed::Unchanged);
            }
            let replaced = held.current.filter(|_| api.cas);
            api.update(path, &data, replaced).await?;
            Ok(Pushed::Updated)
        }
    }
}

/// Deletes a secret; one that is gone already is no error.
pub(crate) async fn delete(api: &Api, target: &PushTarget) -> Result<()> {
    match api.delete(&target.remote_key).await {
        Err(error) if error.kind() == &ErrorKind::NotFound => Ok(()),
        deleted => deleted,
    }
}

/// Whether a secret is there.
pub(crate) async fn exists(api: &Api, target: &PushTarget) -> Result<bool> {
    match api.read(&target.remote_key, None).await {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == &ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
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
    fn a_property_nests_the_key() {
        let nested = data(&item(Some("a"), Some("p"))).unwrap();

        assert_eq!(nested, serde_json::json!({"p": {"a": "text"}}));
    }
}
