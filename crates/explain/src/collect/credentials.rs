//! Finds the objects that the settings of a store or generator name for credentials: any field that ends
//! with `Ref`, or is called `caProvider` or `serviceAccount`, and has a name. Providers agree on that.

use serde_json::{Map, Value};

use super::Collector;
use crate::facts::CredentialFacts;

/// A reference as it is written.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reference {
    kind: &'static str,
    namespace: Option<String>,
    name: String,
    key: Option<String>,
}

/// References in settings, each once, in order.
pub(super) fn references(settings: &Value) -> Vec<Reference> {
    let mut found = Vec::new();
    walk("", settings, &mut found);
    found.sort();
    found.dedup();
    found
}

fn walk(field: &str, value: &Value, found: &mut Vec<Reference>) {
    match value {
        Value::Object(fields) => {
            if let Some(reference) = reference(field, fields) {
                found.push(reference);
                return;
            }
            for (field, below) in fields {
                walk(field, below, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk(field, item, found)),
        _ => {}
    }
}

fn reference(field: &str, fields: &Map<String, Value>) -> Option<Reference> {
    let text = |name: &str| fields.get(name)?.as_str().map(str::to_owned);
    let field = field.to_lowercase();
    let is_reference =
        field.ends_with("ref") || ["caprovider", "serviceaccount"].contains(&field.as_str());
    let kind = if field.contains("serviceaccount") {
        "ServiceAccount"
    } else if text("type").as_deref() == Some("ConfigMap") || field.contains("configmap") {
        "ConfigMap"
    } else {
        "Secret"
    };
    Some(Reference {
        kind,
        namespace: text("namespace"),
        name: text("name").filter(|name| is_reference && !name.is_empty())?,
        key: text("key").filter(|key| !key.is_empty()),
    })
}

impl Collector<'_> {
    /// Looks at what a reference names. `own` is the namespace of a namespaced store, which reads
    /// nothing elsewhere; `user` the namespace that a cluster store stands in for.
    pub(super) async fn credential(
        &self,
        reference: Reference,
        own: Option<&str>,
        user: &str,
    ) -> CredentialFacts {
        let Reference {
            kind,
            namespace,
            name,
            key,
        } = reference;
        let namespace = match own {
            Some(own) => own.to_owned(),
            None => namespace.unwrap_or_else(|| user.to_owned()),
        };
        let found = self.keys_of(kind, &namespace, &name).await;
        CredentialFacts {
            kind,
            namespace,
            name,
            key,
            found,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_found_at_any_depth() {
        let settings = json!({
            "service": "SecretsManager",
            "role": "arn",
            "auth": {
                "secretRef": {
                    "accessKeyIDSecretRef": {"name": "aws", "key": "id"},
                    "secretAccessKeySecretRef": {"name": "aws", "key": "secret"},
                },
                "jwt": {"serviceAccountRef": {"name": "app", "namespace": "team"}},
                "serviceAccount": {"name": "bare"},
            },
            "caProvider": {"type": "ConfigMap", "name": "ca", "key": "ca.crt"},
        });

        let found = references(&settings);

        let found: Vec<String> = found
            .iter()
            .map(|one| {
                let key = one.key.as_deref().unwrap_or("-");
                let namespace = one.namespace.as_deref().unwrap_or("-");
                format!("{} {namespace} {} {key}", one.kind, one.name)
            })
            .collect();
        assert_eq!(
            found,
            [
                "ConfigMap - ca ca.crt",
                "Secret - aws id",
                "Secret - aws secret",
                "ServiceAccount - bare -",
                "ServiceAccount team app -",
            ]
        );
    }

    #[test]
    fn names_that_are_no_references_are_left_alone() {
        assert_eq!(references(&json!({"vault": {"name": "prod"}})), []);
    }
}
