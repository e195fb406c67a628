//! Watches on a real server: streamed and paged lists, kinds that come later, rights that are
//! missing, objects that cannot be decoded.

use std::time::Duration;

use futures_util::{Stream, StreamExt, pin_mut};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{DeleteParams, DynamicObject, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Api, Resource, ResourceExt};
use lockstep_runtime::health::Readiness;
use lockstep_runtime::metrics::Metrics;
use lockstep_runtime::watch::{Change, Settings, watch};
use lockstep_testkit::PATIENCE;
use lockstep_testkit::client::TestCluster;
use serde::Deserialize;
use serde_json::json;

use crate::place::{User, client, client_with};

async fn next<K>(changes: &mut (impl Stream<Item = Change<K>> + Unpin)) -> Change<K> {
    tokio::time::timeout(PATIENCE, changes.next())
        .await
        .expect("a change in time")
        .expect("watches do not end")
}

/// Follows a watch until readiness tells one of these reasons; it must not be in sync meanwhile.
async fn reason<K>(
    changes: &mut (impl Stream<Item = Change<K>> + Unpin),
    readiness: &Readiness,
    words: &[&str],
) -> (String, String) {
    let told = async {
        loop {
            let change = tokio::time::timeout(Duration::from_millis(50), changes.next()).await;
            assert!(!matches!(change, Ok(Some(Change::Synced))));
            let waiting = readiness.waiting().into_iter();
            let mut told = waiting.filter(|(_, why)| words.iter().any(|word| why.contains(word)));
            if let Some(told) = told.next() {
                return told;
            }
        }
    };
    tokio::time::timeout(PATIENCE, told)
        .await
        .expect("a reason in time")
}

fn word<K: Resource>(change: &Change<K>) -> String {
    match change {
        Change::Reset => "reset".to_owned(),
        Change::Applied(object) => format!("applied {}", object.name_any()),
        Change::Deleted(object) => format!("deleted {}", object.name_any()),
        Change::Synced => "synced".to_owned(),
        Change::Invalid(invalid) => format!("invalid {}", invalid.name),
    }
}

fn config_map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name}})).unwrap()
}

#[tokio::test]
async fn a_watch_lists_then_follows() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let maps = namespace.api::<ConfigMap>();
    let create = PostParams::default();
    maps.create(&create, &config_map("a")).await.unwrap();
    let settings = Settings {
        fields: Some("metadata.name!=kube-root-ca.crt".to_owned()),
        ..Settings::default()
    };
    let readiness = Readiness::default();
    let client = client(&cluster, User::Operator).await;
    let api = Api::namespaced(client, namespace.name());
    let changes = watch::<ConfigMap>(api, settings, readiness.register("configmaps"));
    pin_mut!(changes);

    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(word(&next(&mut changes).await));
    }
    assert!(readiness.is_ready());
    maps.create(&create, &config_map("b")).await.unwrap();
    seen.push(word(&next(&mut changes).await));
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    seen.push(word(&next(&mut changes).await));

    assert_eq!(
        seen,
        ["reset", "applied a", "synced", "applied b", "deleted a"]
    );
}

fn widget_crd(group: &str) -> serde_json::Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("widgets.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }],
        },
    })
}

#[tokio::test]
async fn a_kind_installed_later_is_named_while_missing_and_seen_within_seconds() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let group = format!("{}.example", namespace.name());
    let kind = GroupVersionKind::gvk(&group, "v1", "Widget");
    let resource = ApiResource::from_gvk_with_plural(&kind, "widgets");
    let readiness = Readiness::default();
    let component = readiness.register("widgets");
    let client = client(&cluster, User::Admin).await;
    let api = Api::all_with(client, &resource);
    let changes = watch::<DynamicObject>(api, Settings::default(), component);
    pin_mut!(changes);

    let (component, _) = reason(&mut changes, &readiness, &["is the CRD installed?"]).await;
    assert_eq!(component, "widgets");

    cluster.cluster.admin().unwrap();
    let crd = widget_crd(&group);
    namespace.apply(&crd.to_string()).await.unwrap();
    let installed = tokio::time::Instant::now();
    while !matches!(next(&mut changes).await, Change::Synced) {}

    assert!(readiness.is_ready());
    assert!(installed.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn missing_rights_are_named_and_waited_for() {
    let cluster = TestCluster::connect().await.unwrap();
    let readiness = Readiness::default();
    let client = client(&cluster, User::Operator).await;
    let api = Api::all(client);
    let changes = watch::<Pod>(api, Settings::default(), readiness.register("pods"));
    pin_mut!(changes);

    let denials = ["cannot list resource", "cannot watch resource"];
    reason(&mut changes, &readiness, &denials).await;
}

/// A ConfigMap that insists on a number.
#[derive(Clone, Debug, Deserialize)]
struct Strict {
    metadata: kube::core::ObjectMeta,
    #[serde(rename = "data")]
    _data: Numbers,
}

#[derive(Clone, Debug, Deserialize)]
struct Numbers {
    #[serde(rename = "count")]
    _count: std::num::NonZeroU8,
}

impl Resource for Strict {
    type DynamicType = ();
    type Scope = k8s_openapi::NamespaceResourceScope;

    fn kind((): &()) -> std::borrow::Cow<'_, str> {
        "ConfigMap".into()
    }
    fn group((): &()) -> std::borrow::Cow<'_, str> {
        "".into()
    }
    fn version((): &()) -> std::borrow::Cow<'_, str> {
        "v1".into()
    }
    fn plural((): &()) -> std::borrow::Cow<'_, str> {
        "configmaps".into()
    }
    fn meta(&self) -> &kube::core::ObjectMeta {
        &self.metadata
    }
    fn meta_mut(&mut self) -> &mut kube::core::ObjectMeta {
        &mut self.metadata
    }
}

#[tokio::test]
async fn an_object_that_cannot_be_decoded_does_not_end_the_watch() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let maps = namespace.api::<ConfigMap>();
    let create = PostParams::default();
    maps.create(&create, &config_map("bad")).await.unwrap();
    let settings = Settings {
        fields: Some("metadata.name!=kube-root-ca.crt".to_owned()),
        ..Settings::default()
    };
    let readiness = Readiness::default();
    let client = client(&cluster, User::Operator).await;
    let api = Api::namespaced(client, namespace.name());
    let changes = watch::<Strict>(api, settings, readiness.register("strict"));
    pin_mut!(changes);

    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(word(&next(&mut changes).await));
    }
    maps.delete("bad", &DeleteParams::default()).await.unwrap();
    let Change::Invalid(deleted) = next(&mut changes).await else {
        panic!("another change");
    };

    assert_eq!(seen, ["reset", "invalid bad", "synced"]);
    assert!(deleted.deleted);
}

#[tokio::test]
async fn requests_are_counted_by_code_method_and_host() {
    let cluster = TestCluster::connect().await.unwrap();
    let metrics = std::sync::Arc::new(Metrics::default());
    let client = client_with(&cluster, User::Operator, metrics.clone()).await;

    let pods = Api::<Pod>::namespaced(client, "default");
    pods.get_opt("nothing").await.unwrap_err();

    let text: String = metrics.scrape().collect();
    assert!(
        text.contains(r#"rest_client_requests_total{code="403",method="GET",host="127.0.0.1:"#),
        "{text}"
    );
}
