//! `lockstep explain --live` against AWS Secrets Manager (moto) and Vault (OpenBao): values that are there,
//! and those that are denied, missing, deleted or out of reach. No value and no credential is printed.

use lockstep_testkit::bao::Bao;
use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::moto::{Moto, REGION};
use serde_json::{Value, json};

use crate::aws::{create, quiet, started};
use crate::explain::{broken, healthy, report};
use crate::process::{Room, operator, until};

const CANARY: &str = "canary-60b2";
/// Nobody listens there.
const NOBODY: &str = "http://127.0.0.1:1";

fn reader(name: &str, store: &str, key: &str) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
        "metadata": {"name": name},
        "spec": {
            "secretStoreRef": {"name": store},
            "data": [{"secretKey": "a", "remoteRef": {"key": key, "property": "a"}}],
        },
    })
}

fn store(name: &str, provider: &Value) -> Value {
    json!({
        "apiVersion": "external-secrets.io/v1", "kind": "SecretStore", "metadata": {"name": name},
        "spec": {"provider": provider},
    })
}

/// Waits until every object of these names was reported about.
fn reported(room: &Room, names: &[&str]) {
    for name in names {
        until(&format!("a report of {name}"), || {
            let object = room.external_secret(name);
            let found = object["status"]["conditions"][0]["status"].is_string();
            if found { Ok(object) } else { Err(object) }
        });
    }
}

/// A store with the keys of a user, kept in a Secret of the same name.
fn put_aws_store(room: &Room, name: &str, (id, secret): (&str, &str)) {
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": name},
        "stringData": {"id": id, "secret": secret},
    }));
    let keys = json!({
        "accessKeyIDSecretRef": {"name": name, "key": "id"},
        "secretAccessKeySecretRef": {"name": name, "key": "secret"},
    });
    let aws = json!({"service": "SecretsManager", "region": REGION, "auth": {"secretRef": keys}});
    room.apply(&store(name, &json!({"aws": aws})));
}

#[test]
fn a_live_read_of_secrets_manager_tells_denied_missing_deleted_and_unreachable_apart() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let moto = Moto::start().unwrap();
    for name in ["app/db", "app/gone"] {
        create(&moto, name, &format!("{{\"a\":\"{CANARY}\"}}"));
    }
    let gone = json!({"SecretId": "app/gone"});
    moto.call("secretsmanager.DeleteSecret", &gone).unwrap();
    // moto knows actions of policies and no resources.
    let user = |name: &str, action: &str| {
        let statement = json!([{"Effect": "Allow", "Action": action, "Resource": "*"}]);
        let policy = json!({"Version": "2012-10-17", "Statement": statement});
        moto.user(name, &policy).unwrap()
    };
    let (keys, others) = (user("app", "secretsmanager:*"), user("other", "ssm:*"));
    moto.check_access().unwrap();
    let environment = quiet(&moto, &[]);
    let mut process = started(cluster, &[&room.flag()], &environment);
    put_aws_store(&room, "aws", (&keys.id, &keys.secret));
    put_aws_store(&room, "other", (&others.id, &others.secret));
    put_aws_store(&room, "stale", ("AKIAIOSFODNN7EXAMPLE", &keys.secret));
    let objects = [
        ("fine", "aws", "app/db"),
        ("missing", "aws", "app/nothing"),
        ("deleted", "aws", "app/gone"),
        ("denied", "other", "app/db"),
        ("stranger", "stale", "app/db"),
    ];
    for (name, store, key) in objects {
        room.apply(&reader(name, store, key));
    }
    reported(&room, &objects.map(|(name, _, _)| name));
    let live = |name: &str, environment: &[(String, String)]| {
        let words = ["es", name, "--live", "--namespace", &room.namespace];
        let values = [CANARY, &*keys.secret];
        report(&cluster.admin_kubeconfig(), &words, environment, &values)
    };

    let fine = live("fine", &environment);
    assert_eq!(healthy(&fine, "answer"), "read just now");
    let create = "create it, or correct the reference";
    broken(
        &live("missing", &environment),
        "entry",
        "NotFound: ",
        create,
    );
    let restore = "restore it with: aws secretsmanager restore-secret";
    broken(
        &live("deleted", &environment),
        "entry",
        "Tombstoned: ",
        restore,
    );
    let allow = "allow the IAM action secretsmanager:GetSecretValue";
    broken(&live("denied", &environment), "entry", "Denied: ", allow);
    let renew = "the credentials are invalid or expired; renew them";
    broken(
        &live("stranger", &environment),
        "identity",
        "Unauthenticated: ",
        renew,
    );
    let astray = environment.iter().map(|(name, value)| match &**name {
        "AWS_SECRETSMANAGER_ENDPOINT" => (name.clone(), NOBODY.to_owned()),
        _ => (name.clone(), value.clone()),
    });
    let astray: Vec<_> = astray.collect();
    let check = "check region, network and the AWS_…_ENDPOINT variables";
    broken(&live("fine", &astray), "entry", "Unreachable: ", check);
    process.check().unwrap();
}

/// A store with a token, kept in a Secret of the same name.
fn put_vault_store(room: &Room, name: &str, server: &str, token: &str) {
    room.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": name},
        "stringData": {"token": token},
    }));
    let auth = json!({"tokenSecretRef": {"name": name, "key": "token"}});
    let vault = json!({"server": server, "path": "kv", "version": "v2", "auth": auth});
    room.apply(&store(name, &json!({"vault": vault})));
}

#[test]
fn a_live_read_of_vault_tells_denied_missing_deleted_and_unreachable_apart() {
    let cluster = Cluster::shared().unwrap();
    let room = Room::new(cluster);
    let bao = Bao::start().unwrap();
    for key in ["app/db", "app/gone", "other/db"] {
        bao.put(key, &json!({"a": CANARY})).unwrap();
    }
    bao.call("DELETE", "kv/data/app/gone", &Value::Null)
        .unwrap();
    bao.policy(
        "reader",
        &[("kv/data/app/*", "read"), ("kv/metadata/app/*", "read")],
    )
    .unwrap();
    let token = "canary-token";
    bao.token(token, "reader").unwrap();
    let mut process = operator(cluster, &[&room.flag()]);
    put_vault_store(&room, "bao", &bao.url(), token);
    put_vault_store(&room, "stale", &bao.url(), "s.nobodys-token");
    put_vault_store(&room, "astray", NOBODY, token);
    let objects = [
        ("fine", "bao", "app/db"),
        ("missing", "bao", "app/nothing"),
        ("deleted", "bao", "app/gone"),
        ("denied", "bao", "other/db"),
        ("stranger", "stale", "app/db"),
        ("lost", "astray", "app/db"),
    ];
    for (name, store, key) in objects {
        room.apply(&reader(name, store, key));
    }
    reported(&room, &objects.map(|(name, _, _)| name));
    let live = |kind: &str, name: &str| {
        let words = [kind, name, "--live", "--namespace", &room.namespace];
        let values = [CANARY, token, "s.nobodys-token"];
        report(&cluster.admin_kubeconfig(), &words, &[], &values)
    };

    assert_eq!(healthy(&live("es", "fine"), "answer"), "read just now");
    assert!(healthy(&live("ss", "bao"), "answer").starts_with("answered just now"));
    let create = "create it, or correct the reference";
    broken(&live("es", "missing"), "entry", "NotFound: ", create);
    broken(
        &live("es", "deleted"),
        "entry",
        "Tombstoned: ",
        "bring it back with: vault kv undelete",
    );
    let allow = "its policies need: path \"kv/data/other/db\"";
    broken(&live("es", "denied"), "entry", "Denied: ", allow);
    let stranger = live("es", "stranger");
    // The provider's text names the field and the remedy; no general one contradicts it.
    let renew = "the token of auth.tokenSecretRef: it is invalid, expired or revoked; renew it";
    broken(&stranger, "store", renew, "correct the store, or ask");
    let check = "check server, address and network";
    broken(&live("es", "lost"), "store", "Unreachable: ", check);
    process.check().unwrap();
}
