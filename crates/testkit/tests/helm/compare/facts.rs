//! An object as a list of facts: places and values, so that order and spelling of YAML do not count. Flags are compared by name,
//! rights by group, resource and verb, lists of named things by name. Also the text form in which facts are recorded: the first
//! set in full, the others as what differs from it.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

/// Values by place.
pub(super) type Facts = BTreeMap<String, String>;
/// Facts by object; nothing where the chart refuses to render.
pub(super) type Rendering = Option<BTreeMap<String, Facts>>;

/// Text that is each chart's own and too long to compare.
const OWN_TEXT: &str = "data.external-secrets.json";

/// The facts of an object.
pub(super) fn of(object: &Value) -> Facts {
    let mut out = Facts::new();
    for (key, value) in object.as_object().into_iter().flatten() {
        if key == "rules" {
            rights(value, &mut out);
        } else {
            walk(key, value, &mut out);
        }
    }
    if let Some(text) = out.get_mut(OWN_TEXT) {
        "text".clone_into(text);
    }
    out
}

/// `may GROUP/RESOURCE [NAME]` and its verbs.
fn rights(rules: &Value, out: &mut Facts) {
    let texts = |rule: &Value, key: &str| -> Vec<String> {
        let list = rule[key].as_array().into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    for rule in rules.as_array().into_iter().flatten() {
        let mut names = texts(rule, "resourceNames");
        if names.is_empty() {
            names.push(String::new());
        }
        for group in texts(rule, "apiGroups") {
            for resource in texts(rule, "resources") {
                for name in &names {
                    let place = format!("may {group}/{resource} {name}");
                    let verbs = out.entry(place.trim_end().to_owned()).or_default();
                    let mut all: Vec<_> = verbs.split(' ').map(str::to_owned).collect();
                    all.extend(texts(rule, "verbs"));
                    all.retain(|verb| !verb.is_empty());
                    all.sort_unstable();
                    all.dedup();
                    *verbs = all.join(" ");
                }
            }
        }
    }
}

fn walk(place: &str, value: &Value, out: &mut Facts) {
    match value {
        // A list or map without content is the same as none for the API server.
        Value::Null => drop(out.insert(place.to_owned(), "empty".to_owned())),
        Value::Object(fields) if fields.is_empty() => walk(place, &Value::Null, out),
        Value::Array(items) if items.is_empty() => walk(place, &Value::Null, out),
        Value::Object(fields) => {
            for (key, value) in fields {
                walk(&format!("{place}.{key}"), value, out);
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                listed(place, number, item, out);
            }
        }
        _ => drop(out.insert(place.to_owned(), value.to_string())),
    }
}

/// An entry of a list: flags and named things by name, sets by value, others by number.
fn listed(place: &str, number: usize, item: &Value, out: &mut Facts) {
    let mut put = |key: &str, value: &str| {
        let all = out.entry(format!("{place}[{key}]")).or_default();
        if !all.is_empty() {
            all.push(' ');
        }
        all.push_str(value);
    };
    let set = place.ends_with("operations") || place.ends_with("policyTypes");
    match (item, item["name"].as_str()) {
        (Value::String(flag), _) if flag.starts_with("--") => {
            let (name, value) = flag.split_once('=').unwrap_or((flag, "bare"));
            put(name, value);
        }
        (Value::String(text), _) if set => put(text, "yes"),
        (Value::Object(fields), Some(name)) => {
            let mut rest = fields.clone();
            rest.remove("name");
            walk(&format!("{place}[{name}]"), &Value::Object(rest), out);
        }
        _ => walk(&format!("{place}[{number}]"), item, out),
    }
}

const HEAD: &str = "\
# What the original chart renders with the sets of sets.yaml; recorded, do not edit. The first set is in full, the others
# say what differs from it: an object or a place with `-` is gone.
";

/// The text form of renderings, in this order.
pub(super) fn written(order: &[&str], all: &BTreeMap<String, Rendering>) -> String {
    let mut out = HEAD.to_owned();
    let nothing = BTreeMap::new();
    let mut base = &nothing;
    for name in order {
        writeln!(out, "\n== {name}").unwrap();
        let Some(objects) = &all[*name] else {
            out.push_str("refused\n");
            continue;
        };
        for (object, facts) in objects {
            let before = base.get(object);
            if before == Some(facts) {
                continue;
            }
            writeln!(out, "{object}").unwrap();
            for (place, value) in facts {
                if before.and_then(|before| before.get(place)) != Some(value) {
                    writeln!(out, "  {place} = {value}").unwrap();
                }
            }
            for place in before.into_iter().flat_map(BTreeMap::keys) {
                if !facts.contains_key(place) {
                    writeln!(out, "  - {place}").unwrap();
                }
            }
        }
        for gone in base.keys().filter(|object| !objects.contains_key(*object)) {
            writeln!(out, "- {gone}").unwrap();
        }
        if base.is_empty() {
            base = objects;
        }
    }
    out
}

/// Reads what [`written`] wrote.
pub(super) fn read(text: &str) -> BTreeMap<String, Rendering> {
    let mut all = BTreeMap::new();
    let mut base: Option<BTreeMap<String, Facts>> = None;
    for part in text.split("\n== ").skip(1) {
        let (name, lines) = part.split_once('\n').unwrap_or((part, ""));
        let mut objects = base.clone().unwrap_or_default();
        let mut object = "";
        let mut refused = false;
        for line in lines.lines() {
            if line == "refused" {
                refused = true;
            } else if let Some(place) = line.strip_prefix("  - ") {
                objects.entry(object.to_owned()).or_default().remove(place);
            } else if let Some(fact) = line.strip_prefix("  ") {
                let (place, value) = fact.split_once(" = ").unwrap();
                let facts = objects.entry(object.to_owned()).or_default();
                facts.insert(place.to_owned(), value.to_owned());
            } else if let Some(gone) = line.strip_prefix("- ") {
                objects.remove(gone);
            } else if !line.is_empty() {
                object = line;
            }
        }
        base.get_or_insert_with(|| objects.clone());
        all.insert(name.to_owned(), (!refused).then_some(objects));
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_flags_rights_and_named_things_does_not_count() {
        let one = of(&json!({
            "spec": {"args": ["--a=1", "--b"], "ports": [{"name": "x", "port": 1}, {"name": "y", "port": 2}]},
            "rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list"]}],
        }));
        let other = of(&json!({
            "rules": [
                {"apiGroups": [""], "resources": ["secrets"], "verbs": ["list"]},
                {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]},
            ],
            "spec": {"ports": [{"name": "y", "port": 2}, {"name": "x", "port": 1}], "args": ["--b", "--a=1"]},
        }));

        assert_eq!(one, other);
        assert_eq!(one["may /secrets"], "get list");
        assert_eq!(one["spec.ports[y].port"], "2");
    }

    #[test]
    fn what_was_written_is_read_back() {
        let facts = |value: u32| of(&json!({"spec": {"a": value, "b": {"c": "x = y"}}}));
        let all: BTreeMap<String, Rendering> = [
            (
                "one".to_owned(),
                Some(
                    [
                        ("Kind a".to_owned(), facts(1)),
                        ("Kind b".to_owned(), facts(2)),
                    ]
                    .into(),
                ),
            ),
            (
                "two".to_owned(),
                Some(
                    [
                        ("Kind a".to_owned(), facts(3)),
                        ("Kind c".to_owned(), facts(4)),
                    ]
                    .into(),
                ),
            ),
            ("three".to_owned(), None),
        ]
        .into();

        assert_eq!(read(&written(&["one", "two", "three"], &all)), all);
    }
}
