//! Credential objects on a real server: data, texts of absence, tokens, and the note of what was
//! read.

use std::time::Duration;

use lockstep_provider_api::context::{Objects, TokenRequest};
use lockstep_provider_api::error::ErrorKind;
use lockstep_runtime::objects::{ClusterObjects, Kind, Read, Seen};
use lockstep_testkit::client::TestCluster;

use crate::place::{User, client};

const OBJECTS: &str = "
apiVersion: v1
kind: Secret
metadata: {name: s, labels: {purpose: test}}
data: {key: AP8=}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {ca: text}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: a, annotations: {role: reader}}
";

#[tokio::test]
async fn credential_objects_are_read_and_noted_with_their_versions() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    namespace.apply(OBJECTS).await.unwrap();
    let name = namespace.name();
    let objects = ClusterObjects::new(client(&cluster, User::Operator).await);

    let secret = objects.secret(name, "s").await.unwrap();
    let labelled = objects.labelled_secret(name, "s").await.unwrap();
    let config = objects.config_map(name, "c").await.unwrap();
    let account = objects.service_account(name, "a").await.unwrap();
    let missing = objects.secret(name, "nothing").await.unwrap_err();
    let audiences = ["vault".to_owned()];
    let request = TokenRequest {
        namespace: name,
        name: "a",
        audiences: &audiences,
        lifetime: Duration::from_mins(10),
    };
    let token = objects.token(request).await.unwrap();

    assert_eq!(secret.get("key").unwrap().expose(), [0x00, 0xff]);
    assert_eq!(labelled.data, secret);
    assert_eq!(labelled.labels["purpose"], "test");
    assert_eq!(config["ca"], "text");
    assert_eq!(account["role"], "reader");
    assert_eq!(token.expose_utf8().unwrap().split('.').count(), 3);
    assert_eq!(missing.kind(), &ErrorKind::NotFound);
    assert_eq!(missing.to_string(), "secrets \"nothing\" not found");
    let reads = objects.reads();
    let seen = |kind, object: &str| {
        let read = Read {
            kind,
            namespace: name.to_owned(),
            name: object.to_owned(),
        };
        reads[&read].clone()
    };
    assert!(matches!(seen(Kind::Secret, "s"), Seen::Version(version) if !version.is_empty()));
    assert_eq!(seen(Kind::Secret, "nothing"), Seen::Missing);
    assert!(matches!(seen(Kind::ServiceAccount, "a"), Seen::Version(_)));
    assert_eq!(reads.len(), 4);
}

#[tokio::test]
async fn a_token_for_nobody_is_absence_with_the_servers_text() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let objects = ClusterObjects::new(client(&cluster, User::Operator).await);
    let request = TokenRequest {
        namespace: namespace.name(),
        name: "nobody",
        audiences: &[],
        lifetime: Duration::from_mins(10),
    };

    let error = objects.token(request).await.unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::NotFound);
    assert_eq!(error.to_string(), "serviceaccounts \"nobody\" not found");
}
