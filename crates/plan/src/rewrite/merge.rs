//! `rewrite.merge`: values that are JSON objects become one set of members. Keys named in
//! `priority` are merged last, so that their members win.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_api::external_secret::{
    MergeConflictPolicy, MergePriorityPolicy, MergeStrategy, RewriteMerge,
};
use lockstep_golang::json::{self, Value};
use lockstep_provider_api::{Error, SecretMap, SecretValue};

use crate::work::Work;

/// Merges the values of a map.
pub(super) fn merge(
    operation: &RewriteMerge,
    map: SecretMap,
    work: Work<'_>,
) -> Result<SecretMap, Error> {
    reserve(&map, work)?;
    let (merged, conflicts) = members(operation, &map)?;
    if operation.conflict_policy != Some(MergeConflictPolicy::Ignore) && !conflicts.is_empty() {
        let conflicts: Vec<String> = conflicts.into_iter().collect();
        let text = format!("merge failed with conflicts: {}", conflicts.join(", "));
        return Err(Error::invalid_data(text));
    }
    match operation
        .strategy
        .as_ref()
        .unwrap_or(&MergeStrategy::Extract)
    {
        MergeStrategy::Extract => Ok(extract(merged)),
        MergeStrategy::Json => into_one(operation, map, merged),
        MergeStrategy::Unknown(other) if other.is_empty() => Ok(extract(merged)),
        MergeStrategy::Unknown(_) => Ok(SecretMap::new()),
    }
}

/// Counts the trees that the values become before they are read: `[0,0,0]` takes many times its text.
fn reserve(map: &SecretMap, work: Work<'_>) -> Result<(), Error> {
    let begins = |byte: &&u8| matches!(byte, b',' | b':' | b'[' | b'{');
    for (_, value) in map.iter() {
        let nodes = 1 + value.expose().iter().filter(begins).count();
        let memory = nodes * size_of::<Value>() + value.len();
        work.spend(value.len() / 16, memory)?;
    }
    Ok(())
}

type Members = BTreeMap<String, Value>;

/// Members of all values, and the names met more than once.
fn members(
    operation: &RewriteMerge,
    map: &SecretMap,
) -> Result<(Members, BTreeSet<String>), Error> {
    let mut merged = Members::new();
    let mut conflicts = BTreeSet::new();
    for key in order(operation, map) {
        let Some(value) = map.get(key) else {
            if operation.priority_policy == Some(MergePriorityPolicy::IgnoreNotFound) {
                continue;
            }
            let text = format!("merge failed with key {key:?} not found in input map");
            return Err(Error::invalid_data(text));
        };
        for (name, member) in object(value)? {
            if merged.contains_key(&name) {
                conflicts.insert(name.clone());
            }
            merged.insert(name, member);
        }
    }
    Ok((merged, conflicts))
}

/// Keys in order, those of `priority` last and in its order.
fn order<'a>(operation: &'a RewriteMerge, map: &'a SecretMap) -> impl Iterator<Item = &'a str> {
    let priority = &operation.priority;
    let others = map
        .keys()
        .filter(move |key| !priority.iter().any(|named| named == key));
    others.chain(priority.iter().map(String::as_str))
}

fn object(value: &SecretValue) -> Result<Members, Error> {
    match json::decode(value.expose()).map_err(|error| not_json(&error))? {
        Value::Object(members) => Ok(members),
        Value::Null => Ok(Members::new()),
        Value::Bool(_) => Err(not_an_object("bool")),
        Value::Number(_) => Err(not_an_object("number")),
        Value::String(_) => Err(not_an_object("string")),
        Value::Array(_) => Err(not_an_object("array")),
    }
}

/// Go's text without the character or number of the value that it would show.
fn not_json(error: &json::Error) -> Error {
    let text = match error {
        json::Error::InvalidCharacter { place, .. } => format!("invalid character {place}"),
        json::Error::Type { .. } => "json: number does not fit a float64".to_owned(),
        other => other.to_string(),
    };
    Error::invalid_data(format!(
        "merge failed with failed to unmarshal JSON: {text}"
    ))
}

fn not_an_object(kind: &str) -> Error {
    Error::invalid_data(format!(
        "merge failed with failed to unmarshal JSON: json: cannot unmarshal {kind} into Go value of \
         type map[string]interface {{}}"
    ))
}

fn extract(merged: Members) -> SecretMap {
    let members = merged.into_iter();
    members
        .map(|(name, member)| (name, SecretValue::new(json::to_bytes(&member))))
        .collect()
}

/// The original keys, and one more that holds all members.
fn into_one(operation: &RewriteMerge, map: SecretMap, merged: Members) -> Result<SecretMap, Error> {
    let Some(into) = operation.into.as_deref().filter(|into| !into.is_empty()) else {
        return Err(Error::invalid_spec(
            "merge failed with missing 'into' field",
        ));
    };
    let mut all = map;
    all.insert(
        into,
        SecretValue::from(json::marshal(&Value::Object(merged))),
    );
    Ok(all)
}
