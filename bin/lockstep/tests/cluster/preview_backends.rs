//! `lockstep plan` and `lockstep shadow` with real backends behind the stores: Secrets Manager (moto) and
//! Vault's KV (OpenBao). Both read what the objects name, and write neither there nor to the cluster.

use lockstep_testkit::bao::{Bao, ROOT};
use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::moto::{Keys, Moto, REGION};
use serde_json::{Value, json};

use crate::aws::{create, quiet, started};
use crate::command::{Ran, run_in};
use crate::preview::versions;
use crate::process::Room;

const CANARY: &str = "canary-77aa";
/// What became of the remote secret of each object since it was synced.
const OBJECTS: [&str; 5] = ["changed", "denied", "equal", "gone", "missing"];

/// Requests of a command: two objects are read twice, batches have stragglers, and Vault is asked for the
/// mount of a secret that is absent.
const MOST_REQUESTS: usize = OBJECTS.len() + 2 + 3;

/// Its remote key has the same name; the one that is denied is read through a store of its own.
fn external_secret(name: &str) -> Value {
    let store = if name == "denied" { "refused" } else { "store" };
    let policy = if name == "gone" { "Delete" } else { "Retain" };
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": name},
        "spec": {
            "refreshInterval": "1h", "secretStoreRef": {"name": store},
            "target": {"deletionPolicy": policy},
            "data": [{"secretKey": "a", "remoteRef": {"key": format!("app/{name}"), "property": "a"}}],
        },
    })
}

fn push_secret() -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret",
        "metadata": {"name": "up"},
        "spec": {
            "secretStoreRefs": [{"name": "store"}], "selector": {"secret": {"name": "equal"}},
            "data": [{"match": {
                "secretKey": "a", "remoteRef": {"remoteKey": "app/new", "property": "p"},
            }}],
        },
    })
}

fn store(name: &str, provider: &Value) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore", "metadata": {"name": name},
        "spec": {"provider": provider},
    })
}

/// Lets the operator sync the objects, and stops it.
fn sync(cluster: &Cluster, room: &Room, environment: &[(String, String)]) {
    let mut operator = started(cluster, &[&room.flag()], environment);
    for name in OBJECTS {
        room.apply(&external_secret(name));
    }
    room.all_ready(OBJECTS.len());
    operator.terminate().unwrap();
}

/// A room, the surroundings of the commands, and the requests of which a backend has heard.
struct Scene<'a> {
    cluster: &'a Cluster,
    room: &'a Room,
    environment: Vec<(String, String)>,
    /// Requests to the backend since it was last asked.
    take_seen: &'a dyn Fn() -> Vec<String>,
    /// Whether a request only reads.
    is_read: fn(&String) -> bool,
}

impl Scene<'_> {
    /// Runs a command and returns what the backend heard meanwhile: nothing was written anywhere.
    fn run(&self, words: &[&str], input: &str) -> (Ran, Vec<String>) {
        let before = versions(self.room);
        (self.take_seen)();
        let mut all = vec![words[0], "--namespace", &self.room.namespace];
        all.extend(&words[1..]);
        let kubeconfig = self.cluster.admin_kubeconfig();
        let ran = run_in(&kubeconfig, &all, input, &self.environment);
        let seen = (self.take_seen)();
        ran.shows_no(CANARY);
        assert_eq!(versions(self.room), before);
        assert!(seen.iter().all(self.is_read), "{seen:?}");
        (ran, seen)
    }

    fn shadow(&self) {
        let (ran, seen) = self.run(&["shadow", "--output", "json"], "");

        assert_eq!(ran.code, 1, "{ran:?}");
        let report = ran.json();
        let objects = report["objects"].as_array().unwrap().iter();
        let verdicts: Vec<String> = objects
            .map(|one| format!("{} {}", one["name"], one["verdict"]).replace('"', ""))
            .collect();
        assert_eq!(
            verdicts,
            [
                "changed differs",
                "denied fails",
                "equal equal",
                "gone differs",
                "missing fails",
            ],
            "{}",
            ran.out
        );
        let cause = |at: usize| report["objects"][at]["cause"].as_str().unwrap().to_owned();
        assert!(
            cause(0).contains("the stores have other values since"),
            "{}",
            cause(0)
        );
        assert!(
            cause(1).contains("and refreshes it again at"),
            "{}",
            cause(1)
        );
        assert!(
            cause(3).contains("the deletion policy says to delete"),
            "{}",
            cause(3)
        );
        assert!(cause(4).contains("NotFound"), "{}", cause(4));
        // Each object is read once, and those that differ twice.
        assert!(seen.len() <= MOST_REQUESTS, "{seen:?}");
        let counted = &report["providerCalls"]["requestsOfLastPass"];
        assert_eq!(*counted, seen.len(), "{seen:?}");
    }

    fn plan(&self) {
        let documents: Vec<String> = OBJECTS
            .iter()
            .map(|name| external_secret(name).to_string())
            .collect();
        let input = documents.join("\n---\n");

        let (ran, seen) = self.run(
            &["plan", "-f", "-", "--refresh", "--output", "json"],
            &input,
        );

        assert_eq!(ran.code, 1, "{ran:?}");
        let report = ran.json();
        let changes: Vec<String> = report["changes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| format!("{} {}", one["action"], one["by"]).replace('"', ""))
            .collect();
        let own = |name: &str| format!("ExternalSecret {}/{name}", self.room.namespace);
        let wanted = [
            format!("change {}", own("changed")),
            format!("delete {}", own("gone")),
        ];
        assert_eq!(changes, wanted, "{}", ran.out);
        let failures = report["failures"].as_array().unwrap();
        let failed: Vec<&Value> = failures.iter().map(|one| &one["object"]).collect();
        assert_eq!(failed, [&own("denied"), &own("missing")], "{}", ran.out);
        assert_eq!(report["unchanged"], 1, "{}", ran.out);
        // Those that fail run once more, for others would have written meanwhile.
        assert!(seen.len() <= MOST_REQUESTS, "{seen:?}");
    }

    fn plan_of_a_push(&self) {
        let (ran, _) = self.run(&["plan", "-f", "-"], &push_secret().to_string());

        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(
            ran.out.contains("key app/new property p by PushSecret"),
            "{}",
            ran.out
        );
        assert!(ran.out.contains("nothing is there"), "{}", ran.out);
        assert!(ran.out.contains("value: 11 bytes, sha256:"), "{}", ran.out);
    }
}

fn value(text: &str) -> Value {
    json!({"a": text})
}

/// A store of Secrets Manager that signs with these keys.
fn put_aws_store(room: &Room, name: &str, keys: &Keys) {
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": format!("keys-of-{name}")},
        "stringData": {"id": keys.id, "secret": keys.secret},
    }));
    let key = |key: &str| json!({"name": format!("keys-of-{name}"), "key": key});
    room.apply(&store(
        name,
        &json!({"aws": {
            "service": "SecretsManager", "region": REGION,
            "auth": {"secretRef": {
                "accessKeyIDSecretRef": key("id"), "secretAccessKeySecretRef": key("secret"),
            }},
        }}),
    ));
}

#[test]
fn plan_and_shadow_read_secrets_manager_and_write_nothing() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let moto = Moto::start().unwrap();
    let policy = |effect: &str| {
        json!({"Version": "2012-10-17", "Statement": [
            {"Effect": effect, "Action": "secretsmanager:*", "Resource": "*"},
        ]})
    };
    let reader = moto.user("reader", &policy("Allow")).unwrap();
    let refused = moto.user("refused", &policy("Deny")).unwrap();
    put_aws_store(&room, "store", &reader);
    put_aws_store(&room, "refused", &refused);
    for name in OBJECTS {
        create(&moto, &format!("app/{name}"), &value(CANARY).to_string());
    }
    let environment = quiet(&moto, &[]);
    sync(cluster, &room, &environment);
    let changed = json!({
        "SecretId": "app/changed", "SecretString": value(&format!("{CANARY}-2")).to_string(),
    });
    moto.call("secretsmanager.PutSecretValue", &changed)
        .unwrap();
    for name in ["gone", "missing"] {
        let gone = json!({"SecretId": format!("app/{name}"), "ForceDeleteWithoutRecovery": true});
        moto.call("secretsmanager.DeleteSecret", &gone).unwrap();
    }
    moto.check_access().unwrap();

    let scene = Scene {
        cluster,
        room: &room,
        environment,
        take_seen: &|| {
            let seen = moto.take_seen().into_iter();
            seen.map(|one| one.action).collect()
        },
        is_read: |action| {
            let reads = ["BatchGetSecretValue", "DescribeSecret", "GetSecretValue"];
            reads.contains(&action.as_str())
        },
    };
    scene.shadow();
    scene.plan();
    scene.plan_of_a_push();
}

#[test]
fn plan_and_shadow_read_vault_and_write_nothing() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let bao = Bao::start().unwrap();
    bao.policy("some", &[("kv/*", "read")]).unwrap();
    bao.token("some-token", "some").unwrap();
    for (name, token) in [("store", ROOT), ("refused", "some-token")] {
        room.apply(&json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": format!("token-of-{name}")},
            "stringData": {"token": token},
        }));
        let token = json!({"name": format!("token-of-{name}"), "key": "token"});
        let vault = json!({"vault": {
            "server": bao.url(), "path": "kv", "auth": {"tokenSecretRef": token},
        }});
        room.apply(&store(name, &vault));
    }
    for name in OBJECTS {
        bao.put(&format!("app/{name}"), &value(CANARY)).unwrap();
    }
    sync(cluster, &room, &[]);
    bao.put("app/changed", &value(&format!("{CANARY}-2")))
        .unwrap();
    for name in ["gone", "missing"] {
        let path = format!("kv/metadata/app/{name}");
        bao.call("DELETE", &path, &Value::Null).unwrap();
    }
    bao.policy("some", &[("kv/data/other", "read")]).unwrap();

    let scene = Scene {
        cluster,
        room: &room,
        environment: Vec::new(),
        take_seen: &|| bao.take_seen(),
        is_read: |call| call.starts_with("GET "),
    };
    scene.shadow();
    scene.plan();
    scene.plan_of_a_push();
}
