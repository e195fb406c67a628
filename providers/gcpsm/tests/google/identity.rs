//! Identities: keys, ServiceAccounts, other identity providers, the operator's own surroundings.
//! One identity asks for one token.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::future::BoxFuture;
use lockstep_provider_api::conformance::{MemoryObjects, NAMESPACE};
use lockstep_provider_api::context::{Objects, TokenRequest};
use lockstep_provider_api::jwt::RsaKey;
use lockstep_provider_api::{
    Check, ErrorKind, Health, RemoteRef, Result, Scope, SecretMap, SecretValue,
};
use lockstep_testkit::gcp::{Fault, Google, Keys, NODE, Refusal, Seen};
use serde_json::{Value, json};

use crate::bench::{Bench, READER, spec};

pub(crate) const ROBOT: &str = "robot@p.iam.gserviceaccount.com";

/// An API server in small: objects in memory, tokens that are really signed.
struct Signing {
    memory: Arc<MemoryObjects>,
    key: RsaKey,
}

/// The key of the small API server, with its public half.
pub(crate) fn cluster_key() -> (RsaKey, Keys) {
    let pem = include_str!("cluster.pem");
    let set: Value = serde_json::from_str(include_str!("cluster.jwks.json")).unwrap();
    (RsaKey::from_pem(&pem.into()).unwrap(), Keys::of_set(&set))
}

impl Objects for Signing {
    fn secret<'a>(&'a self, namespace: &'a str, name: &'a str) -> BoxFuture<'a, Result<SecretMap>> {
        self.memory.secret(namespace, name)
    }

    fn config_map<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        self.memory.config_map(namespace, name)
    }

    fn service_account<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<BTreeMap<String, String>>> {
        self.memory.service_account(namespace, name)
    }

    fn token<'a>(&'a self, request: TokenRequest<'a>) -> BoxFuture<'a, Result<SecretValue>> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let end = (now + request.lifetime).as_secs();
        let claims = json!({
            "sub": format!("system:serviceaccount:{}:{}", request.namespace, request.name),
            "aud": request.audiences, "exp": end,
        });
        let token = self.key.sign(&json!({ "alg": "RS256" }), &claims);
        Box::pin(async move { token })
    }
}

/// A bench whose ServiceAccounts have tokens that the server believes.
pub(crate) fn with_accounts(annotations: &[(&str, &str)]) -> Bench {
    let google = Google::start().unwrap();
    let (key, keys) = cluster_key();
    google.trust(keys);
    let memory: Arc<MemoryObjects> = Arc::default();
    let annotations = annotations.iter();
    let annotations = annotations.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    memory.put_service_account(NAMESPACE, "sa", annotations.collect());
    let objects = Signing {
        memory: Arc::clone(&memory),
        key,
    };
    let mut bench = Bench::over(google, Some(Arc::new(objects)), &[]);
    bench.objects = memory;
    bench.seed("a", &["one"]);
    bench
}

fn workload() -> Value {
    json!({ "projectID": "p", "auth": { "workloadIdentity": {
        "serviceAccountRef": { "name": "sa", "audiences": ["extra"] },
        "clusterProjectID": "pool-project", "clusterLocation": "here", "clusterName": "mine",
    } } })
}

/// Reads twice through two connections and returns what Google saw of it.
pub(crate) async fn seen(bench: &Bench, spec: Value) -> Vec<Seen> {
    for _ in 0..2 {
        let store = bench.connect(spec.clone()).await.unwrap();
        let value = store.get(&RemoteRef::key("a")).await.unwrap();
        assert_eq!(value, "one".into());
    }
    bench.google.seen()
}

pub(crate) fn calls(seen: &[Seen]) -> Vec<&str> {
    seen.iter().map(|one| one.call.as_str()).collect()
}

pub(crate) const READS: [&str; 2] = ["AccessSecretVersion", "AccessSecretVersion"];

#[tokio::test(flavor = "multi_thread")]
async fn a_service_account_without_an_annotation_is_exchanged_for_itself() {
    let bench = with_accounts(&[]);

    let seen = seen(&bench, workload()).await;

    assert_eq!(calls(&seen), [&["token securetoken"][..], &READS].concat());
    assert_eq!(
        seen[0].name,
        "identitynamespace:pool-project.svc.id.goog:https://container.googleapis.com/v1/projects/\
         pool-project/locations/here/clusters/mine"
    );
    assert_eq!(seen[1].who, format!("system:serviceaccount:{NAMESPACE}:sa"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_annotated_service_account_acts_as_the_account_it_names() {
    let bench = with_accounts(&[("iam.gke.io/gcp-service-account", ROBOT)]);

    let seen = seen(&bench, workload()).await;

    let wanted = ["token securetoken", "GenerateAccessToken"];
    assert_eq!(calls(&seen), [&wanted[..], &READS].concat());
    assert_eq!(seen[1].name, ROBOT);
    assert_eq!(seen[2].who, ROBOT);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_the_cluster_is_comes_from_the_metadata_server() {
    let bench = with_accounts(&[]);
    let spec = json!({ "projectID": "p", "auth": {
        "workloadIdentity": { "serviceAccountRef": { "name": "sa" } },
    } });

    let seen = seen(&bench, spec).await;

    let token = seen.iter().find(|one| one.call == "token securetoken");
    assert_eq!(
        token.unwrap().name,
        "identitynamespace:meta-project.svc.id.goog:https://container.googleapis.com/v1/projects/\
         meta-project/locations/europe-west4/clusters/meta-cluster"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_auth_the_metadata_server_gives_token_and_project() {
    let bench = Bench::new();
    bench
        .google
        .seed("projects/meta-project", "a", &[b"one"], &json!({}))
        .unwrap();

    let seen = seen(&bench, json!({})).await;

    assert!(calls(&seen).contains(&"metadata instance/service-accounts/default/token"));
    let reads: Vec<_> = seen.iter().filter(|one| one.who == NODE).collect();
    assert!(
        reads
            .iter()
            .any(|one| one.name.starts_with("projects/meta-project/"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_auth_a_file_of_the_operator_comes_before_the_metadata_server() {
    let google = Google::start().unwrap();
    let folder = std::env::temp_dir().join(format!("gcp-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let key = path("key.json");
    std::fs::write(&key, google.key(READER)).unwrap();
    let user = json!({
        "type": "authorized_user", "client_id": "a", "client_secret": "b", "refresh_token": "r1",
        "token_uri": format!("{}/token", google.url()),
    });
    std::fs::write(path("user.json"), user.to_string()).unwrap();
    let robot = json!({
        "type": "impersonated_service_account", "source_credentials": user,
        "service_account_impersonation_url": format!(
            "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/{ROBOT}:generateAccessToken"
        ),
    });
    std::fs::write(path("robot.json"), robot.to_string()).unwrap();
    google
        .seed("projects/p", "a", &[b"one"], &json!({}))
        .unwrap();
    let table = [
        ("key.json", READER),
        ("user.json", "user of r1"),
        ("robot.json", ROBOT),
    ];
    let mut google = Some(google);

    for (file, who) in table {
        let more = [("GOOGLE_APPLICATION_CREDENTIALS", path(file))];
        let bench = Bench::over(google.take().unwrap(), None, &more);
        let store = bench.connect(json!({ "projectID": "p" })).await.unwrap();
        store.get(&RemoteRef::key("a")).await.unwrap();

        assert_eq!(bench.google.seen().last().unwrap().who, who);
        google = Some(bench.google);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_token_is_asked_for_anew() {
    let bench = Bench::new();
    bench.seed("a", &["one"]);
    let store = bench.store().await;
    bench.google.revoke_tokens();

    let refused = store.get(&RemoteRef::key("a")).await.unwrap_err();
    let value = store.get(&RemoteRef::key("a")).await.unwrap();

    assert_eq!(refused.kind(), &ErrorKind::Unauthenticated);
    assert_eq!(value, "one".into());
}

#[tokio::test(flavor = "multi_thread")]
async fn many_reads_at_once_ask_for_one_token() {
    let bench = Bench::new();
    bench.seed("a", &["one"]);
    let store = bench.store().await;
    bench.google.revoke_tokens();
    let reference = RemoteRef::key("a");
    drop(store.get(&reference).await);
    bench.google.take_seen();

    let reads = (0..20).map(|_| store.get(&reference));
    for value in futures_util::future::join_all(reads).await {
        value.unwrap();
    }

    let seen = bench.google.seen();
    let tokens = seen.iter().filter(|one| one.call == "token key");
    assert_eq!(tokens.count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_referent_store_waits_for_its_caller() {
    let bench = Bench::new();
    let scope = Scope::Cluster { caller: None };

    let store = bench.connect_in(spec(), scope).await.unwrap();

    let check = store.check().await;
    assert!(matches!(check, Check::Healthy(Health::Unknown)));
    let error = store.get(&RemoteRef::key("x")).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_may_not_be_impersonated_fails_the_store_and_names_the_role() {
    let bench = with_accounts(&[(
        "iam.gke.io/gcp-service-account",
        "denied@p.iam.gserviceaccount.com",
    )]);

    let error = bench.refused(workload()).await;

    assert_eq!(error.kind(), &ErrorKind::Denied);
    let text = error.to_string();
    let start = "failed to create GCP secretmanager client: unable to generate gcp access token: ";
    assert!(text.starts_with(start), "{text}");
    assert!(text.contains("roles/iam.workloadIdentityUser"), "{text}");
    assert!(
        text.contains(&format!("ServiceAccount {NAMESPACE}/sa")),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_of_the_token_endpoint_is_an_outage() {
    let bench = Bench::new();
    bench.google.inject(Fault {
        call: "token key",
        about: String::new(),
        refusal: Refusal::new(503, "UNAVAILABLE", "later"),
        times: 1,
    });

    let error = bench.refused(spec()).await;

    assert_eq!(error.kind(), &ErrorKind::Unreachable);
    assert!(error.to_string().starts_with("unable to get credentials: "));
}
