//! A push: all values are read, the pushed one is put at its path, and the definition is
//! replaced. Dots in the remote key make nesting.

use std::collections::BTreeMap;

use lockstep_provider_api::json::Value;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::yaml::{Style, to_yaml};

use crate::api::Api;

/// Writes one key of a Secret.
pub(crate) async fn push(api: &Api, item: &PushItem) -> Result<Pushed> {
    if item.wanted_key().is_none() {
        return Err(Error::unsupported(
            "pushing the whole secret is not yet implemented",
        ));
    }
    let value = item.value()?;
    let path: Vec<&str> = item.target.remote_key.split('.').collect();
    let held = api.read_all().await;
    let mut values = opened(held.map_err(|error| error.context("error reading environment "))?);
    set(
        &mut values,
        &path,
        Value::String(value.expose_utf8()?.to_owned()),
    );
    let definition = Value::Object(BTreeMap::from([("values".to_owned(), values)]));
    let written = api
        .write(&SecretValue::from(to_yaml(&definition, Style::V2)))
        .await;
    written.map_err(|error| error.context("error pushing secret"))?;
    Ok(Pushed::Updated)
}

/// The members of properties without their envelopes, at every level.
fn opened(properties: Value) -> Value {
    match properties {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(name, member)| (name, unwrapped(member)))
                .collect(),
        ),
        _ => Value::Object(BTreeMap::new()),
    }
}

fn unwrapped(member: Value) -> Value {
    let inner = match member {
        Value::Object(mut envelope) => envelope.remove("value").unwrap_or_default(),
        other => other,
    };
    match inner {
        Value::Object(_) => opened(inner),
        Value::Array(items) => Value::Array(items.into_iter().map(unwrapped).collect()),
        other => other,
    }
}

fn set(at: &mut Value, path: &[&str], value: Value) {
    let [name, rest @ ..] = path else {
        *at = value;
        return;
    };
    // The pushed value wins over what is no mapping.
    if !matches!(at, Value::Object(_)) {
        *at = Value::Object(BTreeMap::new());
    }
    if let Value::Object(members) = at {
        // Upstream's merge drops them.
        members.retain(|_, member| *member != Value::Null);
        set(members.entry((*name).to_owned()).or_default(), rest, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_provider_api::json::decode;

    #[test]
    fn the_pushed_value_is_set_and_the_rest_is_kept() {
        let held = r#"{"a":{"value":{"b":{"value":"old"},"keep":{"value":"k"}},"trace":{}},
            "list":{"value":[{"value":1},{"value":"x"}]},"none":{"value":null},"top":{"value":7}}"#;
        let mut values = opened(decode(&held.into()).unwrap());

        set(&mut values, &["a", "b"], Value::String("new".to_owned()));
        set(&mut values, &["top", "n"], Value::String("1".to_owned()));

        let text = to_yaml(&values, Style::V2);
        let want = "a:\n  b: new\n  keep: k\nlist:\n- 1\n- x\ntop:\n  \"n\": \"1\"\n";
        assert_eq!(text, want);
    }
}
