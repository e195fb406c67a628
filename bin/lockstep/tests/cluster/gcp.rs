//! The operator with Google behind it: every identity, with tokens of the real TokenRequest API that
//! the server verifies against the API server's own keys, the examples of the documentation, and
//! probes of versions.

use std::path::Path;

use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::gcp::{Google, Keys, META_PROJECT, NODE, Seen};
use lockstep_testkit::operator::Operator;
use lockstep_testkit::{manifest, place};
use serde_json::{Value, json};

use crate::process::{Room, log, until};

const PLACE: &str = "projects/my-project";
const ROBOT: &str = "reader@my-project.iam.gserviceaccount.com";

/// A server that believes the ServiceAccounts of a cluster.
pub(crate) fn google(cluster: &Cluster) -> Google {
    let google = Google::start().unwrap();
    let api = cluster.admin().unwrap();
    google.trust(Keys::of_set(&api.get("/openid/v1/jwks").unwrap()));
    google
}

pub(crate) fn started(cluster: &Cluster, google: &Google, flags: &[&str]) -> Operator {
    let program = Path::new(env!("CARGO_BIN_EXE_lockstep"));
    let kubeconfig = cluster.operator_kubeconfig();
    let environment = google.environment();
    Operator::start_in(program, &kubeconfig, flags, &environment, &log()).unwrap()
}

fn store(room: &Room, spec: &Value) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": { "name": "store" },
        "spec": { "controller": room.namespace, "provider": { "gcpsm": spec } },
    })
}

fn external_secret(key: &str) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": { "name": "es" },
        "spec": {
            "refreshInterval": "5m", "secretStoreRef": { "name": "store" },
            "data": [{ "secretKey": "a", "remoteRef": { "key": key } }],
        },
    })
}

/// Reads one secret through a store and returns what Google saw.
fn read(place: &str, annotations: &Value, auth: Option<Value>) -> (String, Vec<Seen>) {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let google = google(cluster);
    google.seed(place, "s", &[b"v"], &json!({})).unwrap();
    let class = format!("--controller-class={}", room.namespace);
    let _operator = started(cluster, &google, &[&room.flag(), &class]);
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "creds" },
        "stringData": { "key": google.key(ROBOT) },
    }));
    room.apply(&json!({
        "apiVersion": "v1", "kind": "ServiceAccount",
        "metadata": { "name": "sa", "annotations": annotations },
    }));
    let mut spec = json!({});
    if place == PLACE {
        spec["projectID"] = "my-project".into();
    }
    if let Some(auth) = auth {
        spec["auth"] = auth;
    }
    room.apply(&store(&room, &spec));
    room.apply(&external_secret("s"));
    room.synced();
    (room.namespace.clone(), google.seen())
}

/// Whose token the value was read with; one token must have served the store and its reader.
fn reader(seen: &[Seen], token: &str) -> String {
    let tokens = seen.iter().filter(|one| one.call == token);
    assert_eq!(tokens.count(), 1, "{seen:?}");
    let mut reads = seen.iter().filter(|one| one.call == "AccessSecretVersion");
    reads.next().unwrap().who.clone()
}

#[test]
fn a_service_account_key_reads_with_one_token() {
    let key = json!({ "name": "creds", "key": "key" });
    let auth = json!({ "secretRef": { "secretAccessKeySecretRef": key } });

    let (_, seen) = read(PLACE, &json!({}), Some(auth));

    assert_eq!(reader(&seen, "token key"), ROBOT);
}

fn workload_identity() -> Value {
    json!({ "workloadIdentity": {
        "serviceAccountRef": { "name": "sa" }, "clusterProjectID": "my-project",
        "clusterLocation": "europe-west3", "clusterName": "my-cluster",
    } })
}

#[test]
fn a_service_account_reads_as_itself_through_workload_identity() {
    let (namespace, seen) = read(PLACE, &json!({}), Some(workload_identity()));

    let who = format!("system:serviceaccount:{namespace}:sa");
    assert_eq!(reader(&seen, "token securetoken"), who);
}

#[test]
fn an_annotated_service_account_reads_as_the_account_of_google() {
    let annotations = json!({ "iam.gke.io/gcp-service-account": ROBOT });

    let (_, seen) = read(PLACE, &annotations, Some(workload_identity()));

    assert_eq!(reader(&seen, "GenerateAccessToken"), ROBOT);
}

#[test]
fn a_service_account_reads_through_federation() {
    let auth = json!({ "workloadIdentityFederation": {
        "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
        "serviceAccountRef": { "name": "sa", "audiences": ["https://pool"] },
    } });

    let (namespace, seen) = read(PLACE, &json!({}), Some(auth));

    let who = format!("system:serviceaccount:{namespace}:sa");
    assert_eq!(reader(&seen, "token sts"), who);
}

#[test]
fn without_auth_the_metadata_server_gives_identity_and_project() {
    let place = format!("projects/{META_PROJECT}");

    let (_, seen) = read(&place, &json!({}), None);

    let token = "metadata instance/service-accounts/default/token";
    assert_eq!(reader(&seen, token), NODE);
}

#[test]
fn the_examples_of_the_documentation_work() {
    let plane = ControlPlane::start_bare().unwrap();
    plane.install_crds().unwrap();
    let room = Room::new(&plane);
    let google = google(&plane);
    let database: &[u8] = br#"{"user":"app","password":"secret"}"#;
    google
        .seed(PLACE, "example-database", &[database], &json!({}))
        .unwrap();
    let class = format!("--controller-class={}", room.namespace);
    let _operator = started(&plane, &google, &[&class]);
    let files = [
        "credentials",
        "store",
        "external-secret",
        "push-secret",
        "workload-identity",
    ];
    for file in files {
        let path = place::workspace().join(format!("examples/gcp/{file}.yaml"));
        let text = std::fs::read_to_string(path).unwrap();
        let own = format!("namespace: {}", room.namespace);
        let text = text.replace("namespace: default", &own);
        for mut object in manifest::parse(&text).unwrap() {
            if object["spec"]["provider"].is_object() {
                object["spec"]["controller"] = room.namespace.clone().into();
            }
            if object["stringData"].is_object() {
                object["stringData"]["key.json"] = google.key(ROBOT).into();
            }
            room.api.apply(&object).unwrap();
        }
    }

    let secret = until("the example's Secret", || {
        room.secret("database").ok_or(None).map(Some)
    });
    let pushed = until("the example's push", || {
        let path = format!("{PLACE}/secrets/example-copy");
        let pushed = google.call("GET", &path, &Value::Null);
        pushed.map_err(|error| json!(error.to_string()))
    });
    for name in ["gcp-workload-identity", "gcp-federation"] {
        let path = format!(
            "/apis/external-secrets.io/v1/namespaces/{}/secretstores/{name}",
            room.namespace
        );
        until("a valid store", || {
            let store = room.api.get(&path).unwrap();
            if store["status"]["conditions"][0]["status"] == "True" {
                Ok(store)
            } else {
                Err(store)
            }
        });
    }

    let data = &secret.unwrap()["data"];
    assert_eq!(data["user"], "YXBw");
    assert_eq!(data["password"], "c2VjcmV0");
    let labels = json!({ "managed-by": "external-secrets", "team": "blue" });
    assert_eq!(pushed["labels"], labels);
}

#[test]
fn an_unchanged_secret_costs_no_read_of_its_value_where_versions_are_probed() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let google = google(cluster);
    let place = format!("projects/{META_PROJECT}");
    google.seed(&place, "s", &[b"first"], &json!({})).unwrap();
    let class = format!("--controller-class={}", room.namespace);
    let flags = [&*room.flag(), &*class, "--probe-versions=true"];
    let _operator = started(cluster, &google, &flags);
    room.apply(&store(&room, &json!({})));
    let mut object = external_secret("s");
    object["spec"]["refreshInterval"] = "1s".into();
    room.apply(&object);
    room.synced();
    let probes_in_a_row = || {
        until("four refreshes without a read", || {
            let seen = google.seen().into_iter().map(|one| one.call);
            let seen: Vec<String> = seen.filter(|call| !call.contains(' ')).collect();
            let last = &seen[seen.len().saturating_sub(4)..];
            if last == ["GetSecretVersion"; 4] {
                Ok(seen)
            } else {
                Err(seen)
            }
        })
    };

    probes_in_a_row();
    google.add(&place, "s", b"second").unwrap();
    until("the new value", || {
        let value = room.secret("es").map(|secret| secret["data"]["a"].clone());
        if value == Some("c2Vjb25k".into()) {
            Ok(value)
        } else {
            Err(value)
        }
    });
    probes_in_a_row();
}

#[test]
fn a_denied_or_disabled_secret_keeps_what_is_in_the_cluster_and_is_explained() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let google = google(cluster);
    let place = format!("projects/{META_PROJECT}");
    google.seed(&place, "s", &[b"v"], &json!({})).unwrap();
    let class = format!("--controller-class={}", room.namespace);
    let _operator = started(cluster, &google, &[&room.flag(), &class]);
    room.apply(&store(&room, &json!({})));
    let mut object = external_secret("s");
    object["spec"]["refreshInterval"] = "1s".into();
    object["spec"]["target"] = json!({ "deletionPolicy": "Delete" });
    room.apply(&object);
    room.synced();
    let told = |words: &[&str]| {
        until("the condition", || {
            let object = room.external_secret("es");
            let text = object["status"]["conditions"][0]["message"].to_string();
            if words.iter().all(|word| text.contains(word)) {
                Ok(text)
            } else {
                Err(text)
            }
        });
        assert!(room.secret("es").is_some(), "the Secret is gone");
    };

    let version = format!("{place}/secrets/s/versions/1");
    let turn = |to: &str| {
        let path = format!("{version}:{to}");
        google.call("POST", &path, &json!({})).unwrap();
    };
    turn("disable");
    told(&[
        "Tombstoned",
        "DISABLED state",
        "gcloud secrets versions enable 1",
    ]);
    turn("enable");
    room.synced();
    google.deny(NODE, "AccessSecretVersion");

    told(&[
        "Denied",
        "roles/secretmanager.secretAccessor",
        "the operator's own identity",
    ]);
}
