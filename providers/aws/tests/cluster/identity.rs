//! Identities: role chains with everything that goes with them, and ServiceAccounts with tokens of a
//! real API server. One identity signs in once.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use futures_util::future::BoxFuture;
use lockstep_provider_api::conformance::{MemoryObjects, NAMESPACE};
use lockstep_provider_api::context::{Objects, TokenRequest};
use lockstep_provider_api::{Check, ErrorKind, RemoteRef, Result, Scope, SecretMap, SecretValue};
use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::Cluster;
use lockstep_testkit::moto::{Fault, Moto, REGION};
use serde_json::{Value, json};

use crate::bench::{Bench, moto, seen, spec, word};

const ROLE: &str = "arn:aws:iam::123456789012:role";

fn create(name: &str) {
    let secret = json!({ "Name": name, "SecretString": "x" });
    moto().call("secretsmanager.CreateSecret", &secret).unwrap();
}

fn requests(action: &str, about: &str) -> Vec<String> {
    let seen = moto().seen();
    let ours = seen
        .into_iter()
        .filter(|one| one.action == action && one.body.contains(about));
    ours.map(|one| one.body.replace("%3A", ":").replace("%2F", "/"))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_of_roles_is_taken_on_once_for_all_connections() {
    let id = word("chain");
    create(&id);
    let mut spec = spec("SecretsManager");
    spec["additionalRoles"] = json!([format!("{ROLE}/one-{id}")]);
    spec["role"] = format!("{ROLE}/last-{id}").into();
    spec["externalID"] = "ext-1".into();
    spec["sessionTags"] = json!([{ "key": "team", "value": "blue" }]);
    spec["transitiveTagKeys"] = json!(["team"]);
    let bench = Bench::new(moto(), &id, "any");

    for _ in 0..3 {
        let store = bench.connect(spec.clone()).await.unwrap();
        assert!(matches!(store.check().await, Check::Healthy(_)));
        store.get(&RemoteRef::key(&id)).await.unwrap();
    }

    let sent = requests("AssumeRole", &id);
    assert_eq!(sent.len(), 2, "{sent:?}");
    let (one, last) = (&sent[0], &sent[1]);
    assert!(one.contains(&format!("role/one-{id}")) && !one.contains("ExternalId"));
    assert!(last.contains(&format!("role/last-{id}")));
    for part in [
        "ExternalId=ext-1",
        "Tags.member.1.Key=team",
        "TransitiveTagKeys.member.1=team",
        "DurationSeconds=900",
    ] {
        assert!(last.contains(part), "{part} is not in {last}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn session_tags_of_a_cluster_store_name_the_caller_and_split_identities() {
    let id = word("tags-policy");
    create(&id);
    let mut spec = spec("SecretsManager");
    for field in ["accessKeyIDSecretRef", "secretAccessKeySecretRef"] {
        spec["auth"]["secretRef"][field]["namespace"] = NAMESPACE.into();
    }
    spec["role"] = format!("{ROLE}/{id}").into();
    spec["sessionTagsPolicy"] = "Custom".into();
    spec["customSessionTags"] = json!({ "env": "prod", "empty": "" });
    let bench = Bench::new(moto(), &id, "any");

    for caller in ["team-a", "team-b", "team-a"] {
        let scope = Scope::Cluster {
            caller: Some(caller.to_owned()),
        };
        let store = bench.connect_in(spec.clone(), scope).await.unwrap();
        store.get(&RemoteRef::key(&id)).await.unwrap();
    }

    let sent = requests("AssumeRole", &id);
    assert_eq!(sent.len(), 2, "{sent:?}");
    assert!(sent[0].contains("Value=team-a") && sent[1].contains("Value=team-b"));
    assert!(sent[0].contains("Value=ClusterSecretStore") && sent[0].contains("Key=env"));
    assert!(!sent[0].contains("Key=empty"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_credential_is_signed_in_for_anew() {
    let own = Moto::start().unwrap();
    let secret = json!({ "Name": "s", "SecretString": "x" });
    own.call("secretsmanager.CreateSecret", &secret).unwrap();
    let mut spec = spec("SecretsManager");
    spec["role"] = format!("{ROLE}/r").into();
    let bench = Bench::new(&own, "again", "any");
    let store = bench.connect(spec).await.unwrap();
    own.inject(Fault {
        action: "GetSecretValue",
        status: 400,
        code: "ExpiredTokenException",
        message: "The security token included in the request is expired",
        times: 1,
    });

    let refused = store.get(&RemoteRef::key("s")).await.unwrap_err();
    store.get(&RemoteRef::key("s")).await.unwrap();

    assert_eq!(refused.kind(), &ErrorKind::Unauthenticated);
    let seen = own.seen();
    let roles = seen.iter().filter(|one| one.action == "AssumeRole");
    assert_eq!(roles.count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_that_may_not_be_taken_on_is_named() {
    let own = Moto::start().unwrap();
    own.inject(Fault {
        action: "AssumeRole",
        status: 403,
        code: "AccessDenied",
        message: "not authorized to perform: sts:AssumeRole",
        times: 9,
    });
    let mut spec = spec("SecretsManager");
    spec["role"] = format!("{ROLE}/closed").into();
    let store = Bench::new(&own, "closed", "any")
        .connect(spec)
        .await
        .unwrap();

    let Check::Failed(check) = store.check().await else {
        panic!("the store is healthy");
    };
    let read = store.get(&RemoteRef::key("s")).await.unwrap_err();

    for error in [check, read] {
        assert_eq!(error.kind(), &ErrorKind::Denied, "{error}");
        let text = error.to_string();
        assert!(text.contains(&format!("role \"{ROLE}/closed\"")), "{text}");
        assert!(text.contains("sts:AssumeRole"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_referent_store_waits_for_its_caller() {
    let bench = Bench::new(moto(), "referent", "any");
    let scope = Scope::Cluster { caller: None };

    let store = bench
        .connect_in(spec("SecretsManager"), scope)
        .await
        .unwrap();

    assert!(matches!(store.check().await, Check::Healthy(_)));
    let error = store.get(&RemoteRef::key("x")).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
}

/// ServiceAccounts of a real cluster.
struct Accounts(Arc<Api>);

impl Objects for Accounts {
    fn secret<'a>(&'a self, _: &'a str, _: &'a str) -> BoxFuture<'a, Result<SecretMap>> {
        Box::pin(async { Ok(SecretMap::new()) })
    }

    fn config_map<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        Box::pin(async { Ok(BTreeMap::new()) })
    }

    fn service_account<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{name}");
        let found = self.0.find(&path).unwrap().unwrap();
        let annotations = found["metadata"]["annotations"].clone();
        Box::pin(async move { Ok(serde_json::from_value(annotations).unwrap_or_default()) })
    }

    fn token<'a>(&'a self, request: TokenRequest<'a>) -> BoxFuture<'a, Result<SecretValue>> {
        let path = format!(
            "/api/v1/namespaces/{}/serviceaccounts/{}/token",
            request.namespace, request.name
        );
        let body = json!({ "spec": { "audiences": request.audiences } });
        let answer = self.0.post(&path, &body).unwrap();
        let token = answer["status"]["token"].as_str().unwrap().to_owned();
        Box::pin(async move { Ok(SecretValue::from(token)) })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_account_signs_in_with_a_token_of_the_cluster() {
    let cluster = Cluster::shared().unwrap();
    let api = Arc::new(cluster.admin().unwrap());
    let id = word(&format!("aws-{}", std::process::id()));
    create(&id);
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": id } });
    api.apply_in("default", &namespace).unwrap();
    let account = json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": { "name": "reader", "annotations": {
            "eks.amazonaws.com/role-arn": format!("{ROLE}/{id}"),
        } },
    });
    api.apply_in(&id, &account).unwrap();
    let variables = moto().environment().into_iter().collect();
    let accounts = Arc::new(Accounts(Arc::clone(&api)));
    let memory: Arc<MemoryObjects> = Arc::default();
    let bench = Bench::over(memory, accounts, variables, false);
    let reference = json!({ "name": "reader", "namespace": id, "audiences": ["extra"] });
    let spec = json!({
        "service": "SecretsManager",
        "region": REGION,
        "auth": { "jwt": { "serviceAccountRef": reference } },
    });
    let scope = Scope::Cluster {
        caller: Some("any".to_owned()),
    };

    for _ in 0..2 {
        let store = bench.connect_in(spec.clone(), scope.clone()).await.unwrap();
        store.get(&RemoteRef::key(&id)).await.unwrap();
    }
    drop(api.delete(&format!("/api/v1/namespaces/{id}")));

    let sent = requests("AssumeRoleWithWebIdentity", &id);
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert!(sent[0].contains("RoleSessionName=external-secrets-provider-aws"));
    let token = sent[0].split_once("WebIdentityToken=").unwrap().1;
    let payload = token.split('&').next().unwrap().split('.').nth(1).unwrap();
    let payload = base64::engine::general_purpose::URL_SAFE_NO_PAD
        .decode(payload)
        .unwrap();
    let claims: Value = serde_json::from_slice(&payload).unwrap();
    assert_eq!(claims["sub"], format!("system:serviceaccount:{id}:reader"));
    assert_eq!(claims["aud"], json!(["sts.amazonaws.com", "extra"]));
    assert!(seen(&id).contains(&"GetSecretValue".to_owned()));
}
