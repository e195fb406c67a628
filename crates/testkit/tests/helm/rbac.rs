//! Rights: those of the original chart, rule by rule, and for the webhook what its certificate takes.

use lockstep_testkit::helm::find;
use lockstep_testkit::{manifest, place};
use serde_json::{Value, json};

use crate::rendered;

fn mentions(role: &Value, resource: &str) -> bool {
    let rules = role["rules"].as_array().unwrap();
    let resources = rules
        .iter()
        .flat_map(|rule| rule["resources"].as_array().unwrap());
    resources.into_iter().any(|found| found == resource)
}

#[test]
fn the_controller_has_exactly_the_rights_that_tests_run_under() {
    let under_test =
        manifest::read(&place::workspace().join("deploy/rbac/controller.yaml")).unwrap();
    let objects = rendered(&json!({}));

    for (kind, name) in [
        ("ClusterRole", "external-secrets-controller"),
        ("Role", "external-secrets-leaderelection"),
    ] {
        let wanted = &find(&under_test, kind, name).unwrap()["rules"];
        let found = &find(&objects, kind, name).unwrap()["rules"];
        assert_eq!(found, wanted, "{name}");
    }
}

#[test]
fn the_webhook_may_touch_its_own_objects_only() {
    let objects = rendered(&json!({}));

    let cluster = find(&objects, "ClusterRole", "external-secrets-webhook").unwrap();
    assert_eq!(
        cluster["rules"],
        json!([{
            "apiGroups": ["admissionregistration.k8s.io"],
            "resources": ["validatingwebhookconfigurations"],
            "resourceNames": ["secretstore-validate", "externalsecret-validate"],
            "verbs": ["get", "update", "patch"],
        }])
    );
    let own = find(&objects, "Role", "external-secrets-webhook").unwrap();
    assert_eq!(
        own["rules"][0]["resourceNames"],
        json!(["external-secrets-webhook"])
    );
    assert_eq!(own["rules"][0]["verbs"], json!(["get", "update", "patch"]));
}

#[test]
fn kinds_that_are_switched_off_need_no_rights() {
    let objects = rendered(&json!({
        "processClusterStore": false, "processClusterExternalSecret": false,
        "processClusterPushSecret": false, "processPushSecret": false,
        "processClusterGenerator": false, "openshiftFinalizers": false,
        "rbac": {"serviceAccountTokenCreate": false},
    }));

    let role = find(&objects, "ClusterRole", "external-secrets-controller").unwrap();
    for resource in [
        "clustersecretstores",
        "clusterexternalsecrets",
        "clusterpushsecrets",
        "pushsecrets",
        "clustergenerators",
        "secretstores/finalizers",
        "serviceaccounts/token",
    ] {
        assert!(!mentions(role, resource), "{resource}");
    }
    assert!(mentions(role, "secretstores/status"));
}

#[test]
fn push_secrets_off_with_cluster_push_secrets_on_is_refused_with_the_remedy() {
    let error = crate::try_rendered(&json!({"processPushSecret": false})).unwrap_err();

    assert!(error.to_string().contains("set both to false"), "{error}");
}

#[test]
fn scoped_rights_are_roles_in_the_scoped_namespace() {
    let objects = rendered(&json!({"scopedRBAC": true, "scopedNamespace": "team-a"}));

    let role = find(&objects, "Role", "external-secrets-controller").unwrap();
    assert_eq!(role["metadata"]["namespace"], "team-a");
    assert!(!mentions(role, "clustersecretstores"));
    let binding = find(&objects, "RoleBinding", "external-secrets-controller").unwrap();
    assert_eq!(binding["subjects"][0]["namespace"], "external-secrets");
    let controller = find(&objects, "Deployment", "external-secrets").unwrap();
    let args = crate::args(controller);
    for flag in [
        "--namespace=team-a",
        "--enable-cluster-store-reconciler=false",
        "--enable-cluster-external-secret-reconciler=false",
        "--enable-cluster-push-secret-reconciler=false",
    ] {
        assert!(args.contains(&flag), "{flag} in {args:?}");
    }
}

#[test]
fn generic_targets_add_their_rules() {
    let objects = rendered(&json!({"genericTargets": {
        "enabled": true,
        "resources": [{"apiGroup": "argoproj.io", "resources": ["applications"], "verbs": ["get", "update"]}],
    }}));

    let role = find(&objects, "ClusterRole", "external-secrets-controller").unwrap();
    let rules = role["rules"].as_array().unwrap();
    assert_eq!(
        rules[rules.len() - 1],
        json!({"apiGroups": ["argoproj.io"], "resources": ["applications"], "verbs": ["get", "update"]})
    );
}

#[test]
fn people_see_and_edit_through_the_usual_roles() {
    let objects = rendered(&json!({"rbac": {"aggregateToAdmin": false}}));

    let view = find(&objects, "ClusterRole", "external-secrets-view").unwrap();
    let labels = &view["metadata"]["labels"];
    assert_eq!(
        labels["rbac.authorization.k8s.io/aggregate-to-view"],
        "true"
    );
    assert_eq!(
        labels["rbac.authorization.k8s.io/aggregate-to-edit"],
        "true"
    );
    assert_eq!(
        labels["rbac.authorization.k8s.io/aggregate-to-admin"],
        Value::Null
    );
    let edit = find(&objects, "ClusterRole", "external-secrets-edit").unwrap();
    let labels = &edit["metadata"]["labels"];
    assert_eq!(
        labels["rbac.authorization.k8s.io/aggregate-to-view"],
        Value::Null
    );
    for role in [view, edit] {
        assert!(mentions(role, "externalsecrets"));
        assert!(mentions(role, "clustergenerators"));
    }
}

#[test]
fn roles_of_people_follow_the_kinds_that_are_reconciled() {
    let objects = rendered(&json!({
        "processPushSecret": false, "processClusterPushSecret": false, "processClusterGenerator": false,
    }));

    for name in ["view", "edit", "servicebindings"] {
        let role = find(&objects, "ClusterRole", &format!("external-secrets-{name}")).unwrap();
        assert!(mentions(role, "externalsecrets"), "{name}");
        for kind in ["pushsecrets", "clusterpushsecrets", "clustergenerators"] {
            assert!(!mentions(role, kind), "{name}: {kind}");
        }
    }
}

#[test]
fn no_rights_are_made_when_told_so() {
    let objects = rendered(&json!({"rbac": {"create": false}}));

    for object in &objects {
        let kind = manifest::text(object, "/kind");
        assert!(!kind.contains("Role"), "{}", manifest::label(object));
    }
}
