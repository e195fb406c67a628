//! Writes. What is pushed are members of a JSON object at the remote key: those of the whole Secret, or
//! one of them where a property is named. Members that somebody else wrote stay.

use std::collections::BTreeMap;

use lockstep_provider_api::json::{Value, decode, marshal_escaped};
use lockstep_provider_api::prelude::*;

use crate::api::{Api, TAG};
use crate::store::value;

/// Writes one member or all of them, where the object differs.
pub(crate) async fn push(api: &Api, item: &PushItem) -> Result<Pushed> {
    let key = &item.target.remote_key;
    let held = match value(api, key, 0).await {
        Err(error) if error.kind() == &ErrorKind::NotFound => None,
        held => Some(held?),
    };
    let mut members = match &held {
        None => BTreeMap::new(),
        Some(held) => object(
            held,
            "failed to unmarshal remote secret: invalid JSON format",
        )?,
    };
    match item.target.wanted_property() {
        None => {
            for (name, value) in item.source.iter() {
                members.insert(name.to_owned(), text(value)?);
            }
        }
        Some(property) => {
            members.insert(property.to_owned(), text(&item.value()?)?);
        }
    }
    let wanted = SecretValue::from(marshal_escaped(&Value::Object(members)));
    match held {
        None => {
            api.create(key, &wanted).await?;
            Ok(Pushed::Created)
        }
        Some(held) if held == wanted => Ok(Pushed::Unchanged),
        Some(_) => {
            api.update(key, &wanted).await?;
            Ok(Pushed::Updated)
        }
    }
}

/// Deletes a member, or the item with its last one. Items without the mark of a push stay.
pub(crate) async fn delete(api: &Api, target: &PushTarget) -> Result<()> {
    let key = &target.remote_key;
    let item = match api.describe(key).await {
        Err(error) if error.kind() == &ErrorKind::NotFound => return Ok(()),
        item => item?,
    };
    let mut tags = item.tags.iter().flatten();
    if !tags.any(|tag| tag == TAG) {
        return Ok(());
    }
    let Some(property) = target.wanted_property() else {
        return api.delete(key).await;
    };
    let held = value(api, key, 0).await?;
    let refusal = "failed to unmarshal secret for deletion: invalid JSON format";
    let mut members = object(&held, refusal)?;
    members.remove(property);
    if members.is_empty() {
        return api.delete(key).await;
    }
    let left = SecretValue::from(marshal_escaped(&Value::Object(members)));
    api.update(key, &left).await
}

/// Whether an item, or a member of it, is there.
pub(crate) async fn exists(api: &Api, target: &PushTarget) -> Result<bool> {
    let held = match value(api, &target.remote_key, 0).await {
        Err(error) if error.kind() == &ErrorKind::NotFound => return Ok(false),
        held => held?,
    };
    let Some(property) = target.wanted_property() else {
        return Ok(true);
    };
    let refusal = "failed to unmarshal secret: invalid JSON format";
    Ok(object(&held, refusal)?.contains_key(property))
}

fn object(held: &SecretValue, refusal: &str) -> Result<BTreeMap<String, Value>> {
    match decode(held) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(Value::Null) => Ok(BTreeMap::new()),
        _ => Err(Error::invalid_data(refusal)),
    }
}

fn text(value: &SecretValue) -> Result<Value> {
    Ok(Value::String(value.expose_utf8()?.to_owned()))
}
