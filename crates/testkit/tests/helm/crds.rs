//! CRDs in the chart: the published ones, switched as they always were, and never deleted by Helm.

use lockstep_testkit::helm::{Helm, Render};
use lockstep_testkit::{manifest, place};
use serde_json::{Value, json};

fn crds(values: &Value) -> Vec<Value> {
    let objects = Helm::ready().unwrap().objects(Render::default(), values);
    let mut crds = objects.unwrap();
    crds.retain(|object| object["kind"] == "CustomResourceDefinition");
    crds.sort_by_key(manifest::label);
    crds
}

fn names(crds: &[Value]) -> Vec<&str> {
    crds.iter()
        .map(|crd| manifest::text(crd, "/spec/names/kind"))
        .collect()
}

#[test]
fn the_chart_renders_exactly_the_published_crds_and_keeps_them() {
    let mut published =
        manifest::read(&place::workspace().join("deploy/crds/bundle.yaml")).unwrap();
    published.sort_by_key(manifest::label);

    let rendered = crds(&json!({}));

    assert_eq!(rendered.len(), 25);
    assert_eq!(rendered, published);
    for crd in &rendered {
        let policy = &crd["metadata"]["annotations"]["helm.sh/resource-policy"];
        assert_eq!(policy, "keep", "{}", manifest::label(crd));
    }
}

#[test]
fn switches_leave_out_single_crds_and_install_crds_all_of_them() {
    let all = crds(&json!({}));
    let fewer = crds(&json!({"crds": {
        "createClusterExternalSecret": false, "createClusterSecretStore": false,
        "createClusterGenerator": false, "createClusterPushSecret": false,
        "createPushSecret": false, "createSecretStore": false,
    }}));

    let left_out: Vec<_> = names(&all)
        .into_iter()
        .filter(|kind| !names(&fewer).contains(kind))
        .collect();
    assert_eq!(
        left_out,
        [
            "ClusterExternalSecret",
            "ClusterGenerator",
            "ClusterPushSecret",
            "ClusterSecretStore",
            "PushSecret"
        ]
    );
    assert_eq!(crds(&json!({"installCRDs": false})), Vec::<Value>::new());
}

#[test]
fn annotations_of_the_user_join_the_fixed_ones() {
    let values = json!({"crds": {"annotations": {
        "argocd.argoproj.io/sync-options": "Prune=false",
        "helm.sh/resource-policy": "keep",
    }}});

    for crd in crds(&values) {
        let annotations = &crd["metadata"]["annotations"];
        assert_eq!(
            annotations["argocd.argoproj.io/sync-options"],
            "Prune=false"
        );
        assert_eq!(annotations["helm.sh/resource-policy"], "keep");
    }
}

#[test]
fn v1beta1_is_served_only_on_request() {
    let served = |values: &Value| {
        let crds = crds(values);
        let versions = crds
            .iter()
            .flat_map(|crd| crd["spec"]["versions"].as_array().unwrap());
        versions
            .filter(|version| version["name"] == "v1beta1" && version["served"] == true)
            .count()
    };

    assert_eq!(served(&json!({})), 0);
    assert_eq!(served(&json!({"crds": {"unsafeServeV1Beta1": true}})), 4);
}
