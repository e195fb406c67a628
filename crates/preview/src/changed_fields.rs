//! Which fields of a spec a manifest changes, by their paths; values are not shown, for a template may hold
//! secrets. What an API server fills in counts as written, so that a default is no change.

use serde_json::{Map, Value};

/// Fields that an API server fills in, and with what. Several defaults of one name differ by kind.
const DEFAULTS: &[(&str, &[&str])] = &[
    ("apiVersion", &["generators.external-secrets.io/v1alpha1"]),
    ("conflictPolicy", &["Error"]),
    ("conversionStrategy", &["Default", "None"]),
    ("creationPolicy", &["Owner"]),
    ("decodingStrategy", &["None"]),
    ("deletionPolicy", &["Retain", "None"]),
    ("engineVersion", &["v2"]),
    ("into", &[""]),
    ("kind", &["SecretStore"]),
    ("mergePolicy", &["Replace"]),
    ("metadataPolicy", &["None"]),
    ("nullBytePolicy", &["Ignore"]),
    ("priorityPolicy", &["Strict"]),
    ("refreshInterval", &["1h0m0s"]),
    ("strategy", &["Extract"]),
    ("target", &["Data"]),
    ("templateAs", &["Values"]),
    ("updatePolicy", &["Replace"]),
];

/// What counts as a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// A field that only the live object has is removed, unless it is a known default.
    Removals,
    /// A word, number or switch that only the live object has is a default: stores have many, each
    /// provider its own, and nobody told who wrote it.
    NoScalarRemovals,
}

/// Paths of the fields in which `given` differs from `live`, below `path`.
pub(crate) fn changed(path: &str, live: &Value, given: &Value, rule: Rule) -> Vec<String> {
    let mut paths = Vec::new();
    compare(path, live, given, rule, &mut paths);
    paths
}

fn compare(path: &str, live: &Value, given: &Value, rule: Rule, paths: &mut Vec<String>) {
    match (live, given) {
        (Value::Object(live), Value::Object(given)) => fields(path, live, given, rule, paths),
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (at, (live, given)) in old.iter().zip(new).enumerate() {
                compare(&format!("{path}[{at}]"), live, given, rule, paths);
            }
        }
        _ if live == given => {}
        _ => paths.push(path.to_owned()),
    }
}

fn fields(
    path: &str,
    live: &Map<String, Value>,
    given: &Map<String, Value>,
    rule: Rule,
    paths: &mut Vec<String>,
) {
    for (name, new) in given {
        let path = format!("{path}.{name}");
        match live.get(name) {
            Some(old) => compare(&path, old, new, rule, paths),
            None if is_nothing(name, new) => {}
            None => paths.push(path),
        }
    }
    for (name, old) in live.iter().filter(|(name, _)| !given.contains_key(*name)) {
        let filled_in = rule == Rule::NoScalarRemovals && !old.is_object() && !old.is_array();
        if !filled_in && !is_nothing(name, old) {
            paths.push(format!("{path}.{name} (removed)"));
        }
    }
}

/// Whether a field that one side lacks says nothing: a default, or a map of defaults.
fn is_nothing(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.iter().all(|(name, value)| is_nothing(name, value)),
        Value::Array(items) => items.is_empty(),
        Value::String(text) => {
            let known = DEFAULTS.iter().find(|(known, _)| *known == name);
            known.is_some_and(|(_, texts)| texts.contains(&text.as_str()))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_api_server_filled_in_is_no_change() {
        let live = json!({
            "refreshInterval": "1h0m0s",
            "target": {"creationPolicy": "Owner", "deletionPolicy": "Retain"},
            "data": [{"secretKey": "a", "remoteRef": {"key": "k", "decodingStrategy": "None"}}],
        });
        let given = json!({"data": [{"secretKey": "a", "remoteRef": {"key": "k"}}]});

        assert_eq!(
            changed("spec", &live, &given, Rule::Removals),
            [] as [String; 0]
        );
    }

    #[test]
    fn changed_added_and_removed_fields_are_named_by_their_paths() {
        let live = json!({
            "refreshInterval": "5m",
            "target": {"name": "x"},
            "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
        });
        let given = json!({
            "secretStoreRef": {"name": "s"},
            "target": {"creationPolicy": "Merge"},
            "data": [{"secretKey": "a", "remoteRef": {"key": "canary"}}],
        });

        assert_eq!(
            changed("spec", &live, &given, Rule::Removals),
            [
                "spec.data[0].remoteRef.key",
                "spec.secretStoreRef",
                "spec.target.creationPolicy",
                "spec.target.name (removed)",
                "spec.refreshInterval (removed)",
            ]
        );
    }

    #[test]
    fn a_default_of_a_provider_is_no_change_of_a_store() {
        let live = json!({"provider": {"vault": {"server": "s", "version": "v2"}}});
        let given = json!({"provider": {"vault": {"server": "s"}}});

        assert!(changed("spec", &live, &given, Rule::NoScalarRemovals).is_empty());
        assert_eq!(
            changed("spec", &live, &given, Rule::Removals),
            ["spec.provider.vault.version (removed)"]
        );
    }
}
