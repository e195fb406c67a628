//! The operator with AWS behind it (moto): a whole small deployment under its memory limit, the
//! examples of the documentation, and identities that come from the pod's surroundings.

use std::path::Path;

use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::metadata::Metadata;
use lockstep_testkit::moto::{Moto, REGION, Seen};
use lockstep_testkit::operator::Operator;
use lockstep_testkit::{manifest, place};
use serde_json::{Value, json};

use crate::process::{Room, log, until};

/// Memory limit of the deployment, in KiB.
const LIMIT_KIB: u64 = 128 * 1024;

pub(crate) fn started(
    cluster: &Cluster,
    flags: &[&str],
    environment: &[(String, String)],
) -> Operator {
    let program = Path::new(env!("CARGO_BIN_EXE_lockstep"));
    let kubeconfig = cluster.operator_kubeconfig();
    Operator::start_in(program, &kubeconfig, flags, environment, &log()).unwrap()
}

/// Variables that lead to moto, and no other identity than the one that is added.
pub(crate) fn quiet(moto: &Moto, own: &[(&str, String)]) -> Vec<(String, String)> {
    let mut environment = moto.environment();
    let has_metadata = own.iter().any(|(name, _)| name.contains("METADATA"));
    environment.retain(|(name, _)| !(has_metadata && name == "AWS_EC2_METADATA_DISABLED"));
    for file in ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"] {
        environment.push((file.to_owned(), "/dev/null".to_owned()));
    }
    environment.extend(
        own.iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone())),
    );
    environment
}

pub(crate) fn create(moto: &Moto, name: &str, value: &str) {
    let secret = json!({ "Name": name, "SecretString": value });
    moto.call("secretsmanager.CreateSecret", &secret).unwrap();
}

fn external_secret(name: &str, store: &Value, key: &str) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": { "name": name },
        "spec": {
            "refreshInterval": "5m", "secretStoreRef": store,
            "data": [{ "secretKey": "a", "remoteRef": { "key": key } }],
        },
    })
}

/// Credentials that a service made are pushed into the store, and another one reads them.
fn push_back(room: &Room, moto: &Moto, store: &Value) {
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "made-here" },
        "stringData": { "username": "app", "password": "made" },
    }));
    room.apply(&json!({
        "apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret",
        "metadata": { "name": "made-here" },
        "spec": {
            "refreshInterval": "5m", "secretStoreRefs": [store],
            "selector": { "secret": { "name": "made-here" } },
            "data": [{ "match": { "remoteRef": { "remoteKey": "platform/made" } } }],
        },
    }));
    let asked = json!({ "SecretId": "platform/made" });
    until("the pushed secret", || {
        let got = moto.call("secretsmanager.GetSecretValue", &asked);
        got.map_err(|error| json!(error.to_string()))
    });
    let mut reader = external_secret("es-made", store, "platform/made");
    reader["spec"]["data"][0]["remoteRef"]["property"] = json!("password");
    room.apply(&reader);
    room.all_ready(61);
}

/// A cluster for an operator of all namespaces: in the one that tests share it would work on the
/// objects of others, too, wherever they name no class.
fn of_its_own() -> ControlPlane {
    let plane = ControlPlane::start_bare().unwrap();
    plane.install_crds().unwrap();
    plane
}

#[test]
fn sixty_secrets_through_an_endpoint_override_stay_below_the_memory_limit() {
    let plane = of_its_own();
    let cluster: &Cluster = &plane;
    let room = Room::new(cluster);
    let moto = Moto::start().unwrap();
    let class = format!("--controller-class={}", room.namespace);
    let mut operator = started(cluster, &[&class], &quiet(&moto, &[]));
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "localstack-credentials" },
        "stringData": { "access-key": "test", "secret-key": "test" },
    }));
    let keys = |key: &str| json!({ "name": "localstack-credentials", "key": key, "namespace": room.namespace });
    let store = json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ClusterSecretStore",
        "metadata": { "name": room.namespace },
        "spec": { "controller": room.namespace, "provider": { "aws": {
            "service": "SecretsManager", "region": REGION,
            "auth": { "secretRef": {
                "accessKeyIDSecretRef": keys("access-key"),
                "secretAccessKeySecretRef": keys("secret-key"),
            } },
        } } },
    });
    room.api.apply(&store).unwrap();
    let reference = json!({ "name": room.namespace, "kind": "ClusterSecretStore" });
    for number in 0..60 {
        let key = format!("platform/{number}");
        create(&moto, &key, &format!("value-{number}"));
        room.apply(&external_secret(&format!("es-{number}"), &reference, &key));
    }

    room.all_ready(60);

    assert_eq!(room.secrets().len(), 60);
    push_back(&room, &moto, &reference);
    operator.check().unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", operator.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak: u64 = peak
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(peak < LIMIT_KIB, "the operator took {peak} KiB");
    let path = format!(
        "/apis/external-secrets.io/v1/clustersecretstores/{}",
        room.namespace
    );
    room.api.delete(&path).unwrap();
}

#[test]
fn the_examples_of_the_documentation_work() {
    let plane = of_its_own();
    let cluster: &Cluster = &plane;
    let room = Room::new(cluster);
    let moto = Moto::start().unwrap();
    create(
        &moto,
        "example/database",
        r#"{"user":"app","password":"secret"}"#,
    );
    let parameter = json!({ "Name": "/example/region", "Value": "here", "Type": "String" });
    moto.call("ssm.PutParameter", &parameter).unwrap();
    let class = format!("--controller-class={}", room.namespace);
    let _operator = started(cluster, &[&class], &quiet(&moto, &[]));

    let own = format!("aws-{}", room.namespace);
    for file in ["credentials", "store", "external-secret"] {
        let path = place::workspace().join(format!("examples/aws/{file}.yaml"));
        let text = std::fs::read_to_string(path).unwrap();
        // Names and namespace of their own, so that tests side by side do not meet.
        let text = text
            .replace(
                "namespace: default",
                &format!("namespace: {}", room.namespace),
            )
            .replace("aws-secrets-manager", &own);
        for mut object in manifest::parse(&text).unwrap() {
            if object["spec"]["provider"].is_object() {
                object["spec"]["controller"] = room.namespace.clone().into();
            }
            room.api.apply(&object).unwrap();
        }
    }
    let secret = until("the example's Secret", || {
        let secret = room.secret("database");
        if secret.is_some() {
            Ok(secret)
        } else {
            Err(secret)
        }
    });

    let data = &secret.unwrap()["data"];
    assert_eq!(data["user"], "YXBw");
    assert_eq!(data["password"], "c2VjcmV0");
    assert_eq!(data["region"], "aGVyZQ==");
    room.api
        .delete(&format!(
            "/apis/external-secrets.io/v1/clustersecretstores/{own}"
        ))
        .unwrap();
}

/// Reads one secret through a store without `auth` and returns the key ids the requests carried.
fn ambient(own: &[(&str, String)]) -> Vec<String> {
    used(&seen(|_| own.to_vec()))
}

/// Key ids of the requests for values.
fn used(seen: &[Seen]) -> Vec<String> {
    let reads = seen.iter();
    let reads = reads.filter(|one| one.action.ends_with("GetSecretValue"));
    reads.map(|one| one.key_id.clone()).collect()
}

/// Flags of an operator that looks at a room only and at the stores of its class.
fn own_class(room: &Room) -> [String; 2] {
    let class = format!("--controller-class={}", room.namespace);
    [room.flag(), class]
}

/// A store without `auth`, of the room's class.
fn ambient_store(room: &Room) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore",
        "metadata": { "name": "store" },
        "spec": {
            "controller": room.namespace,
            "provider": { "aws": { "service": "SecretsManager", "region": REGION } },
        },
    })
}

/// Reads one secret through a store without `auth` and returns every request to AWS.
fn seen<'a>(own: impl FnOnce(&Moto) -> Vec<(&'a str, String)>) -> Vec<Seen> {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let moto = Moto::start().unwrap();
    create(&moto, "s", "v");
    let flags = own_class(&room);
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let environment = quiet(&moto, &own(&moto));
    let _operator = started(cluster, &flags, &environment);
    room.apply(&ambient_store(&room));
    room.apply(&external_secret("es", &json!({ "name": "store" }), "s"));
    room.synced();
    moto.seen()
}

/// Keys are kept; but the SDK asks again, four times in all, when a busy machine answers late.
fn few(handed_out: usize) {
    assert!((1..=4).contains(&handed_out), "{handed_out}");
}

#[test]
fn keys_come_from_the_instance_metadata_server() {
    let metadata = Metadata::start("FROMIMDS", "", "2099-01-01T00:00:00Z").unwrap();
    let variable = ("AWS_EC2_METADATA_SERVICE_ENDPOINT", metadata.instance_url());

    let used = ambient(&[variable]);

    assert!(
        !used.is_empty() && used.iter().all(|id| id == "FROMIMDS"),
        "{used:?}"
    );
    few(metadata.handed_out());
}

#[test]
fn keys_come_from_pod_identity() {
    let metadata = Metadata::start("FROMPOD", "pod-token", "2099-01-01T00:00:00Z").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "pod-token").unwrap();

    let used = ambient(&[
        (
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            metadata.container_url(),
        ),
        (
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
            token.display().to_string(),
        ),
    ]);

    assert!(
        !used.is_empty() && used.iter().all(|id| id == "FROMPOD"),
        "{used:?}"
    );
    few(metadata.handed_out());
}

/// The one request of an action.
fn only<'a>(seen: &'a [Seen], action: &str) -> &'a Seen {
    let found: Vec<&Seen> = seen.iter().filter(|one| one.action == action).collect();
    assert_eq!(found.len(), 1, "{action} in {seen:?}");
    found[0]
}

#[test]
fn the_token_of_the_pods_own_service_account_is_exchanged_for_its_role() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "token-of-the-pod").unwrap();

    let seen = seen(|moto| {
        vec![
            (
                "AWS_ROLE_ARN",
                "arn:aws:iam::123456789012:role/operator".to_owned(),
            ),
            ("AWS_WEB_IDENTITY_TOKEN_FILE", token.display().to_string()),
            ("AWS_ENDPOINT_URL_STS", moto.url()),
        ]
    });

    let exchange = only(&seen, "AssumeRoleWithWebIdentity");
    assert_eq!(exchange.key_id, "-", "it is not signed");
    assert!(
        exchange.body.contains("WebIdentityToken=token-of-the-pod")
            && exchange.body.contains("role%2Foperator"),
        "{exchange:?}"
    );
    let used = used(&seen);
    assert!(
        !used.is_empty() && used.iter().all(|id| id.starts_with("ASIA")),
        "{used:?}"
    );
}

/// Profile files with keys in `base` and a role on top of them in `app`.
fn profiles(folder: &Path) -> Vec<(&'static str, String)> {
    let (config, keys) = (folder.join("config"), folder.join("credentials"));
    let role = "[profile app]\nrole_arn = arn:aws:iam::123456789012:role/from-profile\n\
                source_profile = base\n";
    std::fs::write(&config, role).unwrap();
    let base = "[base]\naws_access_key_id = FROMFILE\naws_secret_access_key = any\n";
    std::fs::write(&keys, base).unwrap();
    vec![
        ("AWS_CONFIG_FILE", config.display().to_string()),
        ("AWS_SHARED_CREDENTIALS_FILE", keys.display().to_string()),
    ]
}

#[test]
fn keys_come_from_a_profile_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut own = profiles(folder.path());
    own.push(("AWS_PROFILE", "base".to_owned()));

    let used = ambient(&own);

    assert!(
        !used.is_empty() && used.iter().all(|id| id == "FROMFILE"),
        "{used:?}"
    );
}

#[test]
fn the_role_of_a_profile_is_taken_on_with_the_keys_of_another() {
    let folder = tempfile::tempdir().unwrap();

    let seen = seen(|moto| {
        let mut own = profiles(folder.path());
        own.push(("AWS_PROFILE", "app".to_owned()));
        own.push(("AWS_ENDPOINT_URL_STS", moto.url()));
        own
    });

    let role = only(&seen, "AssumeRole");
    assert_eq!(role.key_id, "FROMFILE");
    assert!(role.body.contains("role%2Ffrom-profile"), "{role:?}");
    let used = used(&seen);
    assert!(
        !used.is_empty() && used.iter().all(|id| id.starts_with("ASIA")),
        "{used:?}"
    );
}

#[test]
fn an_unchanged_secret_costs_no_read_of_its_value_where_versions_are_probed() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let moto = Moto::start().unwrap();
    create(&moto, "s", "first");
    let keys = [
        ("AWS_ACCESS_KEY_ID", "own".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "any".to_owned()),
    ];
    let [namespace, class] = own_class(&room);
    let flags = [&*namespace, &*class, "--probe-versions=true"];
    let _operator = started(cluster, &flags, &quiet(&moto, &keys));
    room.apply(&ambient_store(&room));
    let mut object = external_secret("es", &json!({ "name": "store" }), "s");
    object["spec"]["refreshInterval"] = "1s".into();
    room.apply(&object);
    room.synced();
    let probes_in_a_row = || {
        until("four refreshes without a read", || {
            let seen = moto.seen().into_iter().map(|one| one.action);
            let seen: Vec<String> = seen.collect();
            let last = &seen[seen.len().saturating_sub(4)..];
            if last == ["DescribeSecret"; 4] {
                Ok(seen)
            } else {
                Err(seen)
            }
        })
    };

    probes_in_a_row();
    let put = json!({ "SecretId": "s", "SecretString": "second" });
    moto.call("secretsmanager.PutSecretValue", &put).unwrap();
    until("the new value", || {
        let value = room.secret("es").map(|secret| secret["data"]["a"].clone());
        if value == Some("c2Vjb25k".into()) {
            Ok(value)
        } else {
            Err(value)
        }
    });
    probes_in_a_row();

    // A secret that is about to go is found too, and its value stays.
    let gone = json!({ "SecretId": "s" });
    moto.call("secretsmanager.DeleteSecret", &gone).unwrap();
    until("word of the deletion", || {
        let ready = room.external_secret("es")["status"]["conditions"][0].clone();
        let text = ready["message"].as_str().unwrap_or_default().to_owned();
        if text.contains("scheduled for deletion") {
            Ok(text)
        } else {
            Err(text)
        }
    });
    assert_eq!(room.secret("es").unwrap()["data"]["a"], "c2Vjb25k");
}
