//! Schema fragments shared by the types: names, keys, times, selectors.
//!
//! Each function is used with `#[schemars(schema_with = "…")]`. Patterns and bounds are those of
//! upstream's CRDs and are part of the API: changing one changes what existing manifests may say.

use schemars::{Schema, SchemaGenerator, json_schema};

/// Pattern of an object name (DNS subdomain).
pub const OBJECT_NAME: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
/// Pattern of a namespace name (DNS label).
pub const NAMESPACE_NAME: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
/// Pattern of a key in a Secret or ConfigMap.
pub const DATA_KEY: &str = r"^[-._a-zA-Z0-9]+$";

/// Name of an object, at most 253 characters.
pub(crate) fn object_name(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "minLength": 1, "maxLength": 253, "pattern": OBJECT_NAME })
}

/// Key in a Secret or ConfigMap, at most 253 characters.
pub(crate) fn data_key(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "minLength": 1, "maxLength": 253, "pattern": DATA_KEY })
}

/// List of namespace names.
pub(crate) fn namespace_names(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": { "type": "string", "minLength": 1, "maxLength": 63, "pattern": NAMESPACE_NAME },
    })
}

/// A text that must not be empty.
pub(crate) fn not_empty(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "minLength": 1 })
}

/// A point in time.
pub(crate) fn time(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "date-time" })
}

/// A point in time that may be written as `null`.
pub(crate) fn nullable_time(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "date-time", "x-nullable": true })
}

/// A Kubernetes label selector.
pub(crate) fn label_selector(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "x-kubernetes-map-type": "atomic",
        "properties": {
            "matchLabels": {
                "description": "Labels that must all be present with these values.",
                "type": "object",
                "additionalProperties": { "type": "string" },
            },
            "matchExpressions": {
                "description": "Conditions on labels that must all hold.",
                "type": "array",
                "x-kubernetes-list-type": "atomic",
                "items": {
                    "type": "object",
                    "required": ["key", "operator"],
                    "properties": {
                        "key": { "description": "Label key.", "type": "string" },
                        "operator": {
                            "description": "In, NotIn, Exists or DoesNotExist.",
                            "type": "string",
                        },
                        "values": {
                            "description": "Values for In and NotIn.",
                            "type": "array",
                            "x-kubernetes-list-type": "atomic",
                            "items": { "type": "string" },
                        },
                    },
                },
            },
        },
    })
}

/// A list of Kubernetes label selectors.
pub(crate) fn label_selectors(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": label_selector(generator) })
}
