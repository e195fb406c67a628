//! What an API server holds after a manifest is applied to an object: the manifest's fields, and what the
//! apply leaves of the others. Pure.

use serde_json::{Map, Value};

use crate::objects::Texts;
use crate::owners::{FieldOwners, LAST_APPLIED, Owners};

/// Labels and annotations that tools put on objects when they apply them. Rendered manifests lack them.
const ADDED_BY_TOOLS: [&str; 12] = [
    LAST_APPLIED,
    "applyset.kubernetes.io/part-of",
    "argocd.argoproj.io/installation-id",
    "argocd.argoproj.io/instance",
    "argocd.argoproj.io/tracking-id",
    "config.k8s.io/owning-inventory",
    "helm.toolkit.fluxcd.io/name",
    "helm.toolkit.fluxcd.io/namespace",
    "kustomize.toolkit.fluxcd.io/name",
    "kustomize.toolkit.fluxcd.io/namespace",
    "meta.helm.sh/release-name",
    "meta.helm.sh/release-namespace",
];
/// Label that Helm puts on objects, with this value.
const MANAGED_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "Helm");
/// Label by which Argo CD may track objects.
const ARGO_INSTANCE: &str = "app.kubernetes.io/instance";

/// The value of a field after a manifest that has it is applied.
pub(crate) fn merged(live: &Value, given: &Value, owners: FieldOwners<'_>) -> Value {
    let (Value::Object(live), Value::Object(given)) = (live, given) else {
        return given.clone();
    };
    // A null stands for a field that is not there.
    let set = given.iter().filter(|(_, value)| !value.is_null());
    let mut fields: Map<_, _> = set
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    for (name, held) in live {
        let below = owners.below(name);
        let after = match fields.get(name) {
            Some(value) => Some(merged(held, value, below)),
            None => below.left(held),
        };
        if let Some(after) = after {
            fields.insert(name.clone(), after);
        }
    }
    Value::Object(fields)
}

/// Labels or annotations, by the name of their field, after a manifest is applied.
pub(crate) fn merged_texts(
    field: &str,
    live: Option<&Texts>,
    given: Option<&Texts>,
    owners: &Owners,
) -> Texts {
    let of_field = owners.below("metadata").below(field);
    let mut texts = given.cloned().unwrap_or_default();
    for (key, held) in live.into_iter().flatten() {
        let stays = || {
            is_added_by_tools(key, held, owners) || of_field.below(key).left(&Value::Null).is_some()
        };
        if !texts.contains_key(key) && stays() {
            texts.insert(key.clone(), held.clone());
        }
    }
    texts
}

fn is_added_by_tools(key: &str, value: &str, owners: &Owners) -> bool {
    ADDED_BY_TOOLS.contains(&key)
        || (key, value) == MANAGED_BY
        || key == ARGO_INSTANCE && owners.has_argo
}

#[cfg(test)]
mod tests;
