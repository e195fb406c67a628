use serde_json::json;

use super::*;

fn schema() -> Schema {
    Schema::new(json!({
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": { "type": "string" },
            "policy": { "type": "string", "enum": ["Owner", "Merge"] },
            "labels": { "type": "object", "additionalProperties": { "type": "string" } },
            "items": { "type": "array", "items": { "$ref": "#/components/schemas/Item" } },
            "interval": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
            "anything": {},
        },
        "components": { "schemas": { "Item": {
            "type": "object",
            "properties": { "key": { "type": "string" } },
        } } },
    }))
}

fn faults(value: Value) -> Vec<String> {
    let faults = schema().faults(&value, "spec");
    let texts = faults
        .into_iter()
        .map(|f| format!("{}: {}; {}", f.field, f.message, f.remedy));
    let mut texts: Vec<String> = texts.collect();
    // The order of fields depends on how JSON maps are built.
    texts.sort();
    texts
}

#[test]
fn a_sound_value_has_no_faults() {
    let value = json!({
        "name": "a", "policy": "Owner", "labels": {"x": "y"}, "items": [{"key": "k"}],
        "interval": 5, "anything": {"deep": [1]},
    });

    assert!(faults(value).is_empty());
}

#[test]
fn unknown_fields_are_named_with_the_word_that_was_meant() {
    let value = json!({"name": "a", "items": [{"kye": "k"}], "lables": {}});

    assert_eq!(
        faults(value),
        [
            "spec.items[0].kye: unknown field; did you mean \"key\"?",
            "spec.lables: unknown field; did you mean \"labels\"?",
        ]
    );
}

#[test]
fn wrong_types_are_told_without_the_value() {
    let value = json!({"name": 5432, "items": "canary", "labels": {"x": true}});

    assert_eq!(
        faults(value),
        [
            "spec.items: must be a list, but is a string; correct the value",
            "spec.labels.x: must be a string, but is true or false; put it in quotes",
            "spec.name: must be a string, but is a number; put it in quotes",
        ]
    );
}

#[test]
fn missing_fields_and_foreign_words_are_faults() {
    let value = json!({"policy": "owner", "name": null});

    assert_eq!(
        faults(value),
        [
            "spec.name: is required; add the field",
            "spec.policy: must be one of Owner, Merge; did you mean \"Owner\"?",
        ]
    );
}
