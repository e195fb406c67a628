use serde_json::json;

use super::*;

fn spec(value: serde_json::Value) -> GcpsmSpec {
    serde_json::from_value(value).unwrap()
}

fn namespaced() -> Scope {
    Scope::Namespaced {
        namespace: "team".to_owned(),
    }
}

#[test]
fn a_selector_of_another_namespace_is_refused_with_upstreams_texts() {
    let key = json!({ "name": "creds", "key": "key", "namespace": "other" });
    let account = json!({ "name": "sa", "namespace": "other" });
    let table = [
        (
            json!({ "secretRef": { "secretAccessKeySecretRef": key } }),
            "invalid auth secret data: namespace should either be empty or match",
        ),
        (
            json!({ "workloadIdentity": { "serviceAccountRef": account } }),
            "invalid workload identity service account reference: namespace should either",
        ),
    ];

    for (auth, text) in table {
        let error = spec(json!({ "auth": auth }))
            .validate(&namespaced())
            .unwrap_err();

        assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
        assert!(error.to_string().starts_with(text), "{error}");
    }
}

#[test]
fn an_unknown_policy_means_the_default_and_warns() {
    let odd = spec(json!({ "secretVersionSelectionPolicy": "Newest" }));

    assert_eq!(odd.policy(), SelectionPolicy::LatestOrFail);
    assert_eq!(odd.validate(&namespaced()).unwrap().len(), 1);
    assert!(spec(json!({})).validate(&namespaced()).unwrap().is_empty());
}

#[test]
fn two_identities_warn() {
    let both = spec(json!({ "auth": {
        "secretRef": { "secretAccessKeySecretRef": { "name": "creds", "key": "key" } },
        "workloadIdentity": { "serviceAccountRef": { "name": "sa" } },
    } }));

    let warnings = both.validate(&namespaced()).unwrap();

    assert!(warnings[0].contains("more than one identity"));
}
