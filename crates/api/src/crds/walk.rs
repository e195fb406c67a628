//! Walking a schema: every schema in it is visited with its path.
//! Only keywords that CRD schemas use to nest are followed.

use serde_json::{Map, Value};

/// Where a schema stands: names of fields, `[]` for list items, `{}` for values of maps.
pub(super) type Path<'a> = [&'a str];

/// Visits a schema and everything below it, parents first.
pub(super) fn visit(schema: &mut Value, f: &mut impl FnMut(&Path<'_>, &mut Map<String, Value>)) {
    descend(schema, &mut Vec::new(), f);
}

fn descend(
    schema: &mut Value,
    path: &mut Vec<String>,
    f: &mut impl FnMut(&Path<'_>, &mut Map<String, Value>),
) {
    let Some(keywords) = schema.as_object_mut() else {
        return;
    };
    let steps: Vec<&str> = path.iter().map(String::as_str).collect();
    f(&steps, keywords);
    if let Some(Value::Object(fields)) = keywords.get_mut("properties") {
        for (name, field) in fields {
            path.push(name.clone());
            descend(field, path, f);
            path.pop();
        }
    }
    for (keyword, step) in [("items", "[]"), ("additionalProperties", "{}")] {
        if let Some(below) = keywords.get_mut(keyword) {
            path.push(step.to_owned());
            descend(below, path, f);
            path.pop();
        }
    }
}
