//! Taking over from the original: its CRDs, an object and a Secret exactly as it writes them, then
//! our chart and our operator. Nothing is written that need not be, and refreshes go on.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::helm::Helm;
use lockstep_testkit::manifest;
use serde_json::{Value, json};

use crate::helm::{original_chart, served};
use crate::process::{metric, operator, until};

const OBJECT: &str = "/apis/external-secrets.io/v1/namespaces/default/externalsecrets/my-es";
const SECRET: &str = "/api/v1/namespaces/default/secrets/my-es";

/// Hashes as the original's release writes them, recorded from it: of the owner `default/my-es`, of
/// the data `a: v`, and of an object without labels and annotations.
const OWNER: &str = "b8464376b5fe3535e690594280bfe59b60be2603cb6cbb6d6c8bcbb4";
const DATA: &str = "9c0bfff0356efd80611a1ec73594c79465a0378528c732092a39b27c";
const METADATA: &str = "f47fe3c0b255b6dd8047cdffa772587bb829efe7a1cb70febeda2eb2";

/// A store, an object in sync and its Secret, written as the original writes them.
fn written_by_the_original(api: &Api) {
    let group = "/apis/external-secrets.io/v1/namespaces/default";
    api.post(
        &format!("{group}/secretstores"),
        &json!({
            "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
            "metadata": {"name": "store"},
            "spec": {"provider": {"fake": {"data": [{"key": "k", "value": "v"}]}}},
        }),
    )
    .unwrap();
    let object = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {
            "name": "my-es",
            "finalizers": ["externalsecrets.external-secrets.io/externalsecret-cleanup"],
        },
        "spec": {
            "secretStoreRef": {"name": "store"},
            "data": [{"secretKey": "a", "remoteRef": {"key": "k"}}],
        },
    });
    let object = api
        .post(
            &format!("{group}/externalsecrets?fieldManager=external-secrets"),
            &object,
        )
        .unwrap();
    let recently = SystemTime::now() - Duration::from_mins(5);
    let recently = Timestamp::try_from(recently).unwrap();
    let recently = format!("{}", recently.strftime("%Y-%m-%dT%H:%M:%SZ"));
    let status = json!({"status": {
        "binding": {"name": "my-es"},
        "conditions": [{
            "type": "Ready", "status": "True", "reason": "SecretSynced",
            "message": "secret synced", "lastTransitionTime": recently,
        }],
        "refreshTime": recently,
        "syncedResourceVersion": format!("1-{METADATA}"),
    }});
    let path = format!("{OBJECT}/status?fieldManager=external-secrets");
    api.merge(&path, &status).unwrap();
    let manager = "externalsecrets.external-secrets.io%2Fmy-es";
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {
            "name": "my-es",
            "annotations": {"reconcile.external-secrets.io/data-hash": DATA},
            "labels": {
                "reconcile.external-secrets.io/created-by": OWNER,
                "reconcile.external-secrets.io/managed": "true",
            },
            "ownerReferences": [{
                "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret", "name": "my-es",
                "uid": object["metadata"]["uid"], "controller": true, "blockOwnerDeletion": true,
            }],
        },
        "data": {"a": "dg=="},
    });
    let path = format!("/api/v1/namespaces/default/secrets?fieldManager={manager}");
    api.post(&path, &secret).unwrap();
}

fn identity(object: &Value) -> [String; 2] {
    let text = |pointer| manifest::text(object, pointer).to_owned();
    [text("/metadata/uid"), text("/metadata/resourceVersion")]
}

#[test]
fn what_the_original_left_in_sync_is_not_written_and_refreshes_go_on() {
    let plane = ControlPlane::start(None).unwrap();
    let cluster: &Cluster = &plane;
    let (api, helm) = (
        cluster.admin().unwrap(),
        Helm::on(&cluster.admin_kubeconfig()).unwrap(),
    );
    let original = tempfile::tempdir().unwrap();
    original_chart(original.path());
    let chart = original.path().display().to_string();
    let release = ["secrets-manager", "--namespace", "secrets-manager"];
    let [name, flag, namespace] = release;
    helm.run(&[
        "install",
        name,
        &chart,
        flag,
        namespace,
        "--create-namespace",
    ])
    .unwrap();
    served(&api);
    written_by_the_original(&api);
    let (object, secret) = (api.get(OBJECT).unwrap(), api.get(SECRET).unwrap());

    helm.release(&[&["upgrade"][..], &release].concat(), &json!({}))
        .unwrap();
    let mut running = operator(cluster, &[]);
    running.healthy().unwrap();
    until("a run of the object", || {
        match metric(
            &running,
            "externalsecret_sync_calls_total",
            r#"name="my-es""#,
        ) {
            0 => Err(0),
            runs => Ok(runs),
        }
    });

    assert_eq!(identity(&api.get(SECRET).unwrap()), identity(&secret));
    assert_eq!(
        identity(&api.get(OBJECT).unwrap()),
        identity(&object),
        "no status write either"
    );

    let value = json!({"spec": {"provider": {"fake": {"data": [{"key": "k", "value": "w"}]}}}});
    let store = "/apis/external-secrets.io/v1/namespaces/default/secretstores/store";
    api.merge(store, &value).unwrap();
    let after = until("the new value", || {
        let found = api.get(SECRET).unwrap();
        if found["data"]["a"] == "dw==" {
            Ok(found)
        } else {
            Err(found)
        }
    });
    assert_eq!(identity(&after)[0], identity(&secret)[0], "the same Secret");
    running.check().unwrap();
}
