//! The kube helpers on a real cluster: a namespace per test, manifests that land in it, waiting
//! that ends.
#![cfg(feature = "client")]

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::Api;
use lockstep_testkit::client::{TestCluster, until, until_within};

const CONFIG: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: '1'}\n";

#[tokio::test]
async fn manifests_land_in_the_namespace_of_the_test() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();

    namespace.apply(CONFIG).await.unwrap();

    let api = namespace.api::<ConfigMap>();
    let found = until(&api, "c", "there", |found| found.is_some())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(found.metadata.namespace.as_deref(), Some(namespace.name()));
}

#[tokio::test]
async fn waiting_in_vain_says_what_the_object_is() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    namespace.apply(CONFIG).await.unwrap();

    let api = namespace.api::<ConfigMap>();
    let short = Duration::from_millis(300);
    let error = until_within(short, &api, "c", "gone", |found| found.is_none())
        .await
        .unwrap_err();

    let text = error.to_string();
    assert!(
        text.contains("was not gone") && text.contains("\"a\": \"1\""),
        "{text}"
    );
}

#[tokio::test]
async fn a_dropped_namespace_is_deleted() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let name = namespace.name().to_owned();

    drop(namespace);

    let api = Api::<Namespace>::all(cluster.admin.clone());
    until(&api, &name, "gone", |found| found.is_none())
        .await
        .unwrap();
}
