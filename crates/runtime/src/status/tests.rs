//! Patches of a status by example, and their law: merging the patch gives the new status.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const TIMES: &[&str] = &["/refreshTime", "/conditions/*/lastTransitionTime"];

#[test]
fn a_status_that_differs_in_time_alone_needs_no_patch() {
    let old =
        json!({"refreshTime": "1", "conditions": [{"type": "Ready", "lastTransitionTime": "1"}]});
    let new =
        json!({"refreshTime": "2", "conditions": [{"type": "Ready", "lastTransitionTime": "2"}]});

    assert_eq!(patch(&old, &new, TIMES), None);
    assert!(!differs(&old, &new, TIMES));
    assert!(differs(&old, &new, &["/refreshTime"]));
}

#[test]
fn a_patch_that_is_needed_carries_the_times_too() {
    let old = json!({"refreshTime": "1", "binding": {"name": "a"}, "same": 1});
    let new = json!({"refreshTime": "2", "binding": {"name": "b"}, "same": 1});

    let patch = patch(&old, &new, TIMES);

    assert_eq!(
        patch,
        Some(json!({"refreshTime": "2", "binding": {"name": "b"}}))
    );
}

#[test]
fn a_first_status_counts_and_a_dropped_time_does_not() {
    let new = json!({"conditions": [{"type": "Ready"}]});

    assert_eq!(patch(&Value::Null, &new, TIMES), Some(new.clone()));
    assert_eq!(patch(&json!({"refreshTime": "1"}), &json!({}), TIMES), None);
}

#[test]
fn fields_that_are_gone_are_removed() {
    let patch = patch(
        &json!({"a": 1, "b": {"c": 2, "d": 3}}),
        &json!({"b": {"d": 3}}),
        &[],
    );

    assert_eq!(patch, Some(json!({"a": null, "b": {"c": null}})));
}

fn tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        (0..3_i64).prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[a-c]", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// RFC 7386.
fn merged(target: &Value, patch: &Value) -> Value {
    let Value::Object(patch) = patch else {
        return patch.clone();
    };
    let mut result = target.as_object().cloned().unwrap_or_default();
    for (key, value) in patch {
        if value.is_null() {
            result.remove(key);
        } else {
            let old = result.get(key).cloned().unwrap_or(Value::Null);
            result.insert(key.clone(), merged(&old, value));
        }
    }
    Value::Object(result)
}

proptest! {
    #[test]
    fn merging_the_patch_gives_the_new_status(old in tree(), new in tree()) {
        match patch(&old, &new, &[]) {
            None => prop_assert_eq!(old, new),
            Some(patch) => prop_assert_eq!(merged(&old, &patch), new),
        }
    }
}
