//! What applying manifests leaves, by the tools that applied them before.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::json;

use super::*;

/// An object with these entries of `managedFields`: manager, operation and fields.
fn owned(entries: &[(&str, &str, Value)]) -> ObjectMeta {
    let entries = entries.iter().map(|(manager, operation, fields)| {
        json!({
            "manager": manager, "operation": operation, "apiVersion": "external-secrets.io/v1",
            "fieldsType": "FieldsV1", "fieldsV1": fields,
        })
    });
    let entries: Vec<Value> = entries.collect();
    serde_json::from_value(json!({"name": "x", "managedFields": entries})).unwrap()
}

fn spec_after(metadata: &ObjectMeta, live: &Value, given: &Value) -> Value {
    merged(live, given, Owners::of(metadata).below("spec"))
}

fn texts(pairs: &[(&str, &str)]) -> Texts {
    let pairs = pairs.iter();
    pairs
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

fn labels_after(metadata: &ObjectMeta, live: &[(&str, &str)], given: &[(&str, &str)]) -> Texts {
    let (live, given) = (texts(live), texts(given));
    merged_texts("labels", Some(&live), Some(&given), &Owners::of(metadata))
}

#[test]
fn what_flux_applied_and_the_manifest_lacks_goes() {
    let fields = json!({
        "f:metadata": {"f:labels": {"f:team": {}, "f:app": {}}},
        "f:spec": {"f:refreshInterval": {}, "f:target": {"f:name": {}}},
    });
    let metadata = owned(&[("kustomize-controller", "Apply", fields)]);
    let live = json!({
        "refreshInterval": "5m",
        "target": {"name": "x", "creationPolicy": "Owner"},
        "data": [{"secretKey": "a"}],
    });

    let spec = spec_after(&metadata, &live, &json!({"data": [{"secretKey": "b"}]}));

    assert_eq!(spec, json!({"data": [{"secretKey": "b"}]}));
    assert_eq!(
        labels_after(&metadata, &[("team", "a"), ("app", "b")], &[("app", "b")]),
        texts(&[("app", "b")])
    );
}

#[test]
fn what_others_own_and_defaults_stay() {
    let flux = json!({"f:spec": {"f:target": {"f:name": {}}, "f:refreshPolicy": {}}});
    let person = json!({
        "f:metadata": {"f:labels": {"f:own": {}}},
        "f:spec": {"f:refreshInterval": {}, "f:refreshPolicy": {}},
    });
    let metadata = owned(&[
        ("kustomize-controller", "Apply", flux),
        ("kubectl-edit", "Update", person),
    ]);
    let live = json!({
        "refreshInterval": "5m", "refreshPolicy": "Periodic",
        "target": {"name": "x", "creationPolicy": "Owner"},
    });

    let spec = spec_after(
        &metadata,
        &live,
        &json!({"target": {"deletionPolicy": "Merge"}}),
    );

    assert_eq!(
        spec,
        json!({
            "refreshInterval": "5m", "refreshPolicy": "Periodic",
            "target": {"creationPolicy": "Owner", "deletionPolicy": "Merge"},
        })
    );
    assert_eq!(
        labels_after(&metadata, &[("own", "a")], &[]),
        texts(&[("own", "a")])
    );
}

#[test]
fn of_a_map_that_the_manifest_lacks_the_fields_of_others_stay() {
    let flux = json!({"f:spec": {"f:target": {"f:name": {}}}});
    let person = json!({"f:spec": {"f:target": {"f:deletionPolicy": {}}}});
    let metadata = owned(&[
        ("kustomize-controller", "Apply", flux),
        ("kubectl-patch", "Update", person),
    ]);

    let live = json!({"target": {"name": "x", "deletionPolicy": "Merge"}});
    let spec = spec_after(&metadata, &live, &json!({}));

    assert_eq!(spec, json!({"target": {"deletionPolicy": "Merge"}}));
}

#[test]
fn client_side_apply_removes_what_its_annotation_has() {
    let all = json!({
        "f:metadata": {"f:labels": {"f:old": {}}},
        "f:spec": {"f:refreshInterval": {}, "f:refreshPolicy": {}},
    });
    let mut metadata = owned(&[("kubectl-client-side-apply", "Update", all)]);
    let last = json!({
        "metadata": {"annotations": {}, "labels": {"old": "a"}},
        "spec": {"refreshPolicy": "OnChange"},
    });
    metadata.annotations = Some(texts(&[(LAST_APPLIED, &last.to_string()), ("own", "a")]));

    let live = json!({"refreshInterval": "1h0m0s", "refreshPolicy": "OnChange"});
    let spec = spec_after(&metadata, &live, &json!({}));

    assert_eq!(spec, json!({"refreshInterval": "1h0m0s"}));
    assert_eq!(labels_after(&metadata, &[("old", "a")], &[]), texts(&[]));
    let owners = Owners::of(&metadata);
    let annotations = metadata.annotations.as_ref();
    let left = merged_texts("annotations", annotations, None, &owners);
    assert_eq!(left.keys().collect::<Vec<_>>(), [LAST_APPLIED, "own"]);
}

#[test]
fn helm_removes_what_it_wrote_and_keeps_its_own_marks() {
    let fields = json!({"f:metadata": {"f:labels": {
        "f:app.kubernetes.io/managed-by": {}, "f:old": {},
    }}});
    let metadata = owned(&[("helm", "Update", fields)]);

    let live = [("app.kubernetes.io/managed-by", "Helm"), ("old", "a")];
    let after = labels_after(&metadata, &live, &[]);

    assert_eq!(after, texts(&live[..1]));
    assert!(!Owners::of(&metadata).is_exact, "it owns defaults too");
}

#[test]
fn marks_by_which_tools_track_objects_stay() {
    let fields = json!({"f:metadata": {"f:labels": {
        "f:app.kubernetes.io/instance": {}, "f:kustomize.toolkit.fluxcd.io/name": {},
        "f:kustomize.toolkit.fluxcd.io/prune": {},
    }}});
    let metadata = owned(&[("argocd-controller", "Apply", fields)]);
    let live = [
        ("app.kubernetes.io/instance", "app"),
        ("kustomize.toolkit.fluxcd.io/name", "apps"),
        ("kustomize.toolkit.fluxcd.io/prune", "disabled"),
    ];

    assert_eq!(labels_after(&metadata, &live, &[]), texts(&live[..2]));
}

#[test]
fn what_the_operator_and_the_status_own_is_not_removed() {
    let fields = json!({"f:metadata": {"f:labels": {"f:mark": {}}}});
    let mut metadata = owned(&[
        ("external-secrets", "Apply", fields.clone()),
        ("kubectl", "Apply", fields),
    ]);
    metadata.managed_fields.as_mut().unwrap()[1].subresource = Some("status".to_owned());

    assert_eq!(
        labels_after(&metadata, &[("mark", "a")], &[]),
        texts(&[("mark", "a")])
    );
}

#[test]
fn an_object_without_owners_counts_as_applied() {
    let metadata = ObjectMeta::default();

    assert_eq!(labels_after(&metadata, &[("old", "a")], &[]), texts(&[]));
    let live = json!({"refreshInterval": "5m", "target": {"name": "x"}});
    assert_eq!(spec_after(&metadata, &live, &json!({})), json!({}));
}
