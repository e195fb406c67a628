//! The canary of docs/migrate.md: an operator of another class, bound to one namespace, beside one that
//! serves the whole cluster. The original's CRDs are installed, and neither operator touches what
//! belongs to the other.

use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::helm::Helm;
use lockstep_testkit::{manifest, place};
use serde_json::{Value, json};

use crate::helm::{original_chart, served};
use crate::process::{operator, until};

const CANARY: &str = "/apis/external-secrets.io/v1/namespaces/canary/externalsecrets/canary";
const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

fn ready(api: &Api, path: &str) -> Value {
    until("a sync", || {
        let object = api.get(path).unwrap();
        if object["status"]["conditions"][0]["status"] == "True" {
            Ok(object)
        } else {
            Err(object)
        }
    })
}

/// Names and UIDs of all CRDs.
fn crds(api: &Api) -> Vec<[String; 2]> {
    let list = api.get(CRDS).unwrap();
    let items = list["items"].as_array().unwrap();
    let pair = |crd: &Value| {
        ["/metadata/name", "/metadata/uid"].map(|pointer| manifest::text(crd, pointer).to_owned())
    };
    items.iter().map(pair).collect()
}

fn example() -> Vec<Value> {
    let path = place::workspace().join("examples/canary/canary.yaml");
    manifest::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_canary_of_its_own_class_serves_one_namespace_and_leaves_the_rest_alone() {
    let plane = ControlPlane::start(None).unwrap();
    let cluster: &Cluster = &plane;
    let (api, helm) = (
        cluster.admin().unwrap(),
        Helm::on(&cluster.admin_kubeconfig()).unwrap(),
    );
    let original = tempfile::tempdir().unwrap();
    original_chart(original.path());
    let chart = original.path().display().to_string();
    helm.run(&["install", "original", &chart, "--namespace", "default"])
        .unwrap();
    served(&api);
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "canary"}});
    api.apply(&namespace).unwrap();
    team(&api);
    // Stands in for the original, which is not here: its class, the whole cluster.
    let mut main = operator(cluster, &[]);
    let before = ready(&api, &team_path("team"));
    let installed = crds(&api);
    for object in example() {
        api.apply_in("canary", &object).unwrap();
    }
    // Seen after the canary's object, so its sync shows that the canary's was passed over.
    external_secret(&api, "later");
    ready(&api, &team_path("later"));
    assert_eq!(
        api.get(CANARY).unwrap()["status"]["conditions"],
        json!(null)
    );

    let mut canary = operator(
        cluster,
        &[
            "--namespace=canary",
            "--controller-class=canary",
            "--enable-cluster-store-reconciler=false",
        ],
    );
    ready(&api, CANARY);

    let secret = api.get("/api/v1/namespaces/canary/secrets/canary").unwrap();
    assert_eq!(secret["data"]["password"], "ZXhhbXBsZQ==");
    assert_eq!(
        api.get(&team_path("team")).unwrap()["metadata"]["resourceVersion"],
        before["metadata"]["resourceVersion"]
    );
    assert_eq!(crds(&api), installed);
    main.check().unwrap();
    canary.check().unwrap();
}

/// A store without a class and an object of a team that reads through it.
fn team(api: &Api) {
    let store = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": {"name": "team"},
        "spec": {"provider": {"fake": {"data": [{"key": "k", "value": "v"}]}}},
    });
    api.apply_in("default", &store).unwrap();
    external_secret(api, "team");
}

fn external_secret(api: &Api, name: &str) {
    let object = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": name},
        "spec": {
            "secretStoreRef": {"name": "team"},
            "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
        },
    });
    api.apply_in("default", &object).unwrap();
}

fn team_path(name: &str) -> String {
    format!("/apis/external-secrets.io/v1/namespaces/default/externalsecrets/{name}")
}
