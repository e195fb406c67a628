//! Prints a target that is no Secret. Every text and number of its contents is masked unless asked
//! for: nobody knows which of them are secret.

use std::collections::BTreeMap;

use lockstep_api::ExternalSecret;
use lockstep_plan::manifest_target::Object;
use serde_json::{Map, Value, json};

use super::{MASK, masked, written};
use crate::render::flags::Output;

pub(super) fn text(
    object: &ExternalSecret,
    made: &Object,
    form: Output,
    reveal: bool,
) -> Result<String, String> {
    let shown = shown(object, made, reveal);
    match form {
        Output::Env => {
            Err("only a Secret can be written as variables; use --output yaml".to_owned())
        }
        Output::Json => serde_json::to_string_pretty(&shown)
            .map(|text| text + "\n")
            .map_err(|error| error.to_string()),
        Output::Yaml => {
            let options = serde_saphyr::ser_options! { quote_all: true };
            serde_saphyr::to_string_with_options(&shown, options).map_err(|error| error.to_string())
        }
    }
}

fn shown(object: &ExternalSecret, made: &Object, reveal: bool) -> Map<String, Value> {
    let metadata = made.metadata();
    let (labels, annotations) = written(object);
    let marks =
        |made: Option<&BTreeMap<String, String>>, written| json!(masked(made, written, reveal));
    let mut shown = made.expose().clone();
    for (member, value) in &mut shown {
        match member.as_str() {
            "apiVersion" | "kind" => {}
            // Owner references hold a uid that only a cluster gives.
            "metadata" => {
                *value = json!({
                    "name": metadata.name,
                    "namespace": metadata.namespace,
                    "labels": marks(metadata.labels.as_ref(), labels),
                    "annotations": marks(metadata.annotations.as_ref(), annotations),
                });
            }
            _ if reveal => {}
            _ => mask(value),
        }
    }
    shown
}

fn mask(value: &mut Value) {
    match value {
        Value::Null => {}
        Value::Object(members) => members.values_mut().for_each(mask),
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => *value = MASK.into(),
    }
}
