//! What we change in every definition, upstream's and our own: the allowed differences.
//! Each change here has its reason in `data/allowed.yaml`.

use serde_json::{Map, Value, json};

use super::{Crd, CrdError, walk};

/// Applies all changes to one definition.
pub(super) fn apply(crd: &mut Crd) -> Result<(), CrdError> {
    let shape = |place: &str| CrdError::Shape {
        crd: crd.name.clone(),
        place: place.to_owned(),
    };
    let is_external_secret = crd.manifest["spec"]["names"]["kind"] == "ExternalSecret";
    let versions = crd.manifest["spec"]["versions"].as_array_mut();
    for version in versions.ok_or_else(|| shape("versions"))? {
        let served = version["served"] == true;
        if served && is_external_secret {
            add_next_update(version);
        }
        let schema = version.pointer_mut("/schema/openAPIV3Schema");
        let schema = schema.ok_or_else(|| shape("schema"))?;
        drop_list_defaults(schema);
        if !served {
            drop_descriptions(schema);
        }
    }
    Ok(())
}

/// Shows beside `Last Sync` when it is written again, as the last column so that scripts that count
/// columns still work. A date in the future would be printed as `<invalid>`, so it is text.
fn add_next_update(version: &mut Value) {
    if let Some(columns) = version["additionalPrinterColumns"].as_array_mut() {
        columns.push(json!({
            "name": "Next Update", "type": "string", "jsonPath": ".status.nextUpdateTime",
            "description": "About when LAST SYNC is written again while nothing changes",
        }));
    }
}

/// Removes defaults below lists: lists are atomic, so whoever applies one never sees the default.
fn drop_list_defaults(schema: &mut Value) {
    walk::visit(schema, &mut |path, keywords| {
        if path.contains(&"[]") {
            keywords.remove("default");
        }
    });
}

/// Nobody can ask for the description of a version that is not served.
fn drop_descriptions(schema: &mut Value) {
    walk::visit(schema, &mut |_, keywords| {
        keywords.remove("description");
    });
}

/// Orders all keys, whatever map type serde_json is built with.
pub(super) fn sort_keys(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let mut sorted: Vec<_> = std::mem::take(fields).into_iter().collect();
            sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
            for (_, value) in &mut sorted {
                sort_keys(value);
            }
            *fields = sorted.into_iter().collect::<Map<_, _>>();
        }
        Value::Array(items) => items.iter_mut().for_each(sort_keys),
        _ => {}
    }
}
