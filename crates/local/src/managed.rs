//! Keeps `metadata.managedFields` of a Secret as an API server does for updates: a manager owns
//! what it set or changed. By this a later run knows which keys it may take back.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, ManagedFieldsEntry};
use serde_json::{Map, Value, json};

/// Notes that `manager` wrote `secret` in place of `live`.
pub(crate) fn note(secret: &mut Secret, live: Option<&Secret>, manager: &str) {
    let mut entries = live
        .and_then(|live| live.metadata.managed_fields.clone())
        .unwrap_or_default();
    let before = sections(live);
    let after = sections(Some(secret));
    let earlier = entries
        .iter()
        .find(|entry| entry.manager.as_deref() == Some(manager));
    let earlier = earlier
        .and_then(|entry| entry.fields_v1.as_ref())
        .map(|fields| &fields.0);
    let mut fields = Map::new();
    for (section, keys) in &after {
        let owned = earlier
            .map(|fields| owned(fields, section))
            .unwrap_or_default();
        let changed =
            |key: &&String| before.get(section).and_then(|old| old.get(*key)) != keys.get(*key);
        let mine = keys
            .keys()
            .filter(|key| owned.contains(*key) || changed(key));
        let mine: Map<String, Value> = mine.map(|key| (format!("f:{key}"), json!({}))).collect();
        put(&mut fields, section, mine);
    }
    entries.retain(|entry| entry.manager.as_deref() != Some(manager));
    entries.push(ManagedFieldsEntry {
        manager: Some(manager.to_owned()),
        operation: Some("Update".to_owned()),
        api_version: Some("v1".to_owned()),
        fields_type: Some("FieldsV1".to_owned()),
        fields_v1: Some(FieldsV1(Value::Object(fields))),
        ..ManagedFieldsEntry::default()
    });
    secret.metadata.managed_fields = Some(entries);
}

type Section = &'static [&'static str];

const DATA: Section = &["f:data"];
const LABELS: Section = &["f:metadata", "f:labels"];
const ANNOTATIONS: Section = &["f:metadata", "f:annotations"];

/// Keys and values of the parts that hold keys.
fn sections(secret: Option<&Secret>) -> BTreeMap<Section, BTreeMap<String, Vec<u8>>> {
    let Some(secret) = secret else {
        return BTreeMap::new();
    };
    let texts = |map: Option<&BTreeMap<String, String>>| -> BTreeMap<String, Vec<u8>> {
        let entries = map.into_iter().flatten();
        entries
            .map(|(key, text)| (key.clone(), text.as_bytes().to_vec()))
            .collect()
    };
    let data = secret
        .data
        .iter()
        .flatten()
        .map(|(key, value)| (key.clone(), value.0.clone()));
    [
        (DATA, data.collect()),
        (LABELS, texts(secret.metadata.labels.as_ref())),
        (ANNOTATIONS, texts(secret.metadata.annotations.as_ref())),
    ]
    .into()
}

fn owned(fields: &Value, section: &[&str]) -> BTreeSet<String> {
    let mut held = fields;
    for step in section {
        held = &held[*step];
    }
    let keys = held.as_object().into_iter().flatten();
    keys.filter_map(|(key, _)| Some(key.strip_prefix("f:")?.to_owned()))
        .collect()
}

fn put(fields: &mut Map<String, Value>, section: &[&str], keys: Map<String, Value>) {
    let (Some(last), false) = (section.last(), keys.is_empty()) else {
        return;
    };
    let mut place = fields;
    for step in &section[..section.len() - 1] {
        let below = place.entry(*step).or_insert_with(|| json!({}));
        let Some(below) = below.as_object_mut() else {
            return;
        };
        place = below;
    }
    place.insert((*last).to_owned(), Value::Object(keys));
}

#[cfg(test)]
mod tests {
    use k8s_openapi::ByteString;

    use super::*;

    fn secret(keys: &[(&str, &str)]) -> Secret {
        let data = keys
            .iter()
            .map(|(key, text)| ((*key).to_owned(), ByteString(text.as_bytes().to_vec())));
        Secret {
            data: Some(data.collect()),
            ..Secret::default()
        }
    }

    fn data_of(secret: &Secret, manager: &str) -> BTreeSet<String> {
        let entries = secret.metadata.managed_fields.iter().flatten();
        let mut entries = entries.filter(|entry| entry.manager.as_deref() == Some(manager));
        owned(&entries.next().unwrap().fields_v1.as_ref().unwrap().0, DATA)
    }

    #[test]
    fn a_manager_owns_what_it_set_and_not_what_was_there() {
        let live = secret(&[("theirs", "1"), ("shared", "1")]);
        let mut written = secret(&[("theirs", "1"), ("shared", "2"), ("mine", "1")]);

        note(&mut written, Some(&live), "m");

        assert_eq!(
            data_of(&written, "m"),
            ["mine", "shared"].map(str::to_owned).into()
        );
    }

    #[test]
    fn an_unchanged_key_stays_owned_and_a_removed_one_does_not() {
        let mut first = secret(&[("a", "1"), ("b", "1")]);
        note(&mut first, None, "m");
        let mut second = secret(&[("a", "1")]);

        note(&mut second, Some(&first), "m");

        assert_eq!(data_of(&second, "m"), ["a".to_owned()].into());
    }
}
