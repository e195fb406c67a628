//! Every way to sign in to a real API server.

use std::time::Duration;

use lockstep_provider_api::{Check, ErrorKind, Health, RemoteRef};
use serde_json::{Value, json};

use crate::bench::{ALL_VERBS, Bench};

/// Connects, expects the store to be ready and reads a value.
async fn works(bench: &Bench, spec: Value) {
    bench.secret("db", json!({ "user": "bob" }));
    let store = bench.connect(spec).await.unwrap();

    let check = store.check().await;
    let value = store.get(&RemoteRef::key("db").property("user")).await;

    assert!(matches!(check, Check::Healthy(Health::Ready)), "{check:?}");
    assert_eq!(value.unwrap(), "bob".into());
}

fn kubeconfig(server: &Value, cluster: Value, user: Value) -> String {
    let mut cluster = cluster;
    cluster["server"] = server["url"].clone();
    json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "x",
        "clusters": [{ "name": "c", "cluster": cluster }],
        "users": [{ "name": "u", "user": user }],
        "contexts": [{ "name": "x", "context": { "cluster": "c", "user": "u" } }],
    })
    .to_string()
}

async fn works_with_kubeconfig(bench: &Bench, cluster: Value, user: Value) {
    let config = kubeconfig(&bench.server(), cluster, user);
    bench.secret("kc", json!({ "config": config }));
    let selector = json!({ "name": "kc", "key": "config" });
    works(
        bench,
        json!({ "authRef": selector, "remoteNamespace": bench.namespace }),
    )
    .await;
}

fn encoded(text: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(text)
}

#[tokio::test]
async fn a_service_account_signs_in() {
    let bench = Bench::new(&ALL_VERBS);

    works(
        &bench,
        bench.spec(json!({ "serviceAccount": { "name": "reader" } })),
    )
    .await;

    let renewal = bench.store().await.renew_after();
    assert_eq!(renewal, Some(Duration::from_mins(48)));
}

#[tokio::test]
async fn a_token_in_a_secret_signs_in() {
    let bench = Bench::new(&["get"]);
    bench.secret("tok", json!({ "t": format!("{}\n", bench.token()) }));

    let token = json!({ "bearerToken": { "name": "tok", "key": "t" } });
    works(&bench, bench.spec(json!({ "token": token }))).await;
}

#[tokio::test]
async fn a_client_certificate_signs_in() {
    let bench = Bench::new(&[]);
    let user = format!("jane-{}", bench.namespace);
    bench.grant(&["get"], json!({ "kind": "User", "name": user }));
    let made = bench.cluster.client_certificate(&user, None).unwrap();
    bench.secret("id", json!({ "crt": made.certificate, "key": made.key }));

    let cert = json!({
        "clientCert": { "name": "id", "key": "crt" },
        "clientKey": { "name": "id", "key": "key" },
    });
    works(&bench, bench.spec(json!({ "cert": cert }))).await;
}

#[tokio::test]
async fn the_authority_may_come_from_a_config_map() {
    let bench = Bench::new(&["get"]);
    bench.apply(json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": "ca" },
        "data": { "ca.crt": bench.admin().ca },
    }));
    let mut spec = bench.spec(json!({ "serviceAccount": { "name": "reader" } }));
    let provider = json!({ "type": "ConfigMap", "name": "ca", "key": "ca.crt" });
    spec["server"] = json!({ "url": bench.admin().server, "caProvider": provider });

    works(&bench, spec).await;
}

#[tokio::test]
async fn a_kubeconfig_with_a_token_signs_in() {
    let bench = Bench::new(&["get"]);
    let ca = json!({ "certificate-authority-data": encoded(&bench.admin().ca) });

    works_with_kubeconfig(&bench, ca, json!({ "token": bench.token() })).await;
}

#[tokio::test]
async fn a_kubeconfig_with_a_client_certificate_and_another_server_name_signs_in() {
    let bench = Bench::new(&[]);
    let user = format!("joe-{}", bench.namespace);
    bench.grant(&["get"], json!({ "kind": "User", "name": user }));
    let made = bench.cluster.client_certificate(&user, None).unwrap();
    let cluster = json!({
        "certificate-authority-data": encoded(&bench.admin().ca),
        "tls-server-name": "kubernetes.default.svc",
    });
    let user = json!({
        "client-certificate-data": encoded(&made.certificate),
        "client-key-data": encoded(&made.key),
    });

    works_with_kubeconfig(&bench, cluster, user).await;
}

#[tokio::test]
async fn a_kubeconfig_may_switch_verification_off() {
    let bench = Bench::new(&["get"]);
    let cluster = json!({ "insecure-skip-tls-verify": true });

    works_with_kubeconfig(&bench, cluster, json!({ "token": bench.token() })).await;
}

#[tokio::test]
async fn a_kubeconfig_may_act_as_another_user_with_that_users_rights_alone() {
    let bench = Bench::new(&[]);
    let user = format!("as-{}", bench.namespace);
    bench.grant(&["get"], json!({ "kind": "User", "name": user }));
    let cluster = json!({ "certificate-authority-data": encoded(&bench.admin().ca) });
    let admin = json!({ "token": bench.admin().token, "as": user, "as-groups": ["a", "b"] });

    works_with_kubeconfig(&bench, cluster, admin).await;

    let selector = json!({ "name": "kc", "key": "config" });
    let spec = json!({ "authRef": selector, "remoteNamespace": "default" });
    let other = bench.connect(spec).await.unwrap();
    let error = other.get(&RemoteRef::key("db")).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Denied);
}

#[tokio::test]
async fn a_token_the_server_does_not_know_is_unauthenticated() {
    let bench = Bench::new(&["get"]);
    bench.secret("tok", json!({ "t": "stale" }));
    let token = json!({ "bearerToken": { "name": "tok", "key": "t" } });
    let store = bench
        .connect(bench.spec(json!({ "token": token })))
        .await
        .unwrap();

    let error = store.get(&RemoteRef::key("db")).await.unwrap_err();
    let check = store.check().await;

    assert_eq!(error.kind(), &ErrorKind::Unauthenticated);
    let Check::Undetermined(error) = check else {
        panic!("{check:?}")
    };
    assert!(
        error
            .to_string()
            .starts_with("could not verify if client is valid: ")
    );
}

#[tokio::test]
async fn a_service_account_without_rights_is_denied_and_its_store_not_ready() {
    let bench = Bench::new(&[]);
    let store = bench.store().await;

    let check = store.check().await;
    let error = store.get(&RemoteRef::key("db")).await.unwrap_err();

    let Check::Failed(failure) = check else {
        panic!("{check:?}")
    };
    assert_eq!(failure.to_string(), "client is not allowed to get secrets");
    assert_eq!(error.kind(), &ErrorKind::Denied);
    assert_eq!(
        error.to_string(),
        format!(
            "secrets \"db\" is forbidden: User \"system:serviceaccount:{0}:reader\" cannot get \
             resource \"secrets\" in API group \"\" in the namespace \"{0}\"",
            bench.namespace
        )
    );
}

#[tokio::test]
async fn a_server_that_is_not_trusted_is_unreachable() {
    let bench = Bench::new(&["get"]);
    let mut spec = bench.spec(json!({ "serviceAccount": { "name": "reader" } }));
    spec["server"] = json!({ "url": bench.admin().server });
    let store = bench.connect(spec).await.unwrap();

    let error = store.get(&RemoteRef::key("db")).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::Unreachable);
}
