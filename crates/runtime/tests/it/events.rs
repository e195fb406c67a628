//! Events on a real server, under the operator's rights.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Event;
use kube::Api;
use kube::api::{DeleteParams, ListParams};
use lockstep_runtime::background::Background;
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::events::{EventType, Events, ObjectRef};
use lockstep_runtime::health::Readiness;
use lockstep_testkit::PATIENCE;
use lockstep_testkit::client::{TestCluster, TestNamespace};

use crate::place::{User, client};

fn object(namespace: &str, name: &str) -> ObjectRef {
    ObjectRef {
        api_version: "external-secrets.io/v1".into(),
        kind: "ExternalSecret".into(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        uid: "1b4e28ba-2fa1-11d2-883f-0016d3cca427".to_owned(),
        resource_version: "7".to_owned(),
    }
}

async fn events(cluster: &TestCluster) -> Events {
    let client = client(cluster, User::Operator).await;
    let background = Background::new(Arc::default(), Readiness::default());
    Events::start(&client, Arc::new(SystemTime), &background)
}

async fn stored(namespace: &TestNamespace) -> Vec<Event> {
    let api = namespace.api::<Event>();
    api.list(&ListParams::default()).await.unwrap().items
}

#[tokio::test]
async fn repeated_events_are_counted_in_one_object() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let events = events(&cluster).await;
    let recorder = events.recorder("external-secrets");

    for _ in 0..3 {
        let object = object(namespace.name(), "es");
        recorder.publish(&object, EventType::Warning, "UpdateFailed", "denied");
    }
    events.flush(PATIENCE).await;

    let stored = stored(&namespace).await;
    assert_eq!(stored.len(), 1);
    let event = &stored[0];
    assert_eq!(event.count, Some(3));
    assert_eq!(event.reason.as_deref(), Some("UpdateFailed"));
    assert_eq!(event.message.as_deref(), Some("denied"));
    assert_eq!(event.type_.as_deref(), Some("Warning"));
    let involved = &event.involved_object;
    assert_eq!(involved.kind.as_deref(), Some("ExternalSecret"));
    assert_eq!(
        involved.api_version.as_deref(),
        Some("external-secrets.io/v1")
    );
    assert_eq!(involved.resource_version.as_deref(), Some("7"));
    let source = event.source.as_ref().unwrap();
    assert_eq!(source.component.as_deref(), Some("external-secrets"));
    let component = event.reporting_component.as_deref();
    assert_eq!(component, Some("external-secrets"));
    assert!(event.metadata.name.as_ref().unwrap().starts_with("es."));
}

#[tokio::test]
async fn an_event_deleted_meanwhile_is_written_anew_with_its_count() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let events = events(&cluster).await;
    let recorder = events.recorder("external-secrets");
    let object = object(namespace.name(), "es");
    recorder.publish(&object, EventType::Normal, "Created", "secret created");
    events.flush(PATIENCE).await;
    let api = namespace.api::<Event>();
    let all = ListParams::default();
    api.delete_collection(&DeleteParams::default(), &all)
        .await
        .unwrap();

    recorder.publish(&object, EventType::Normal, "Created", "secret created");
    events.flush(PATIENCE).await;

    let stored = stored(&namespace).await;
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0].count, Some(2));
}

#[tokio::test]
async fn events_of_cluster_scoped_objects_are_found_in_default() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let events = events(&cluster).await;
    let mut store = object("", namespace.name());
    store.kind = "ClusterSecretStore".into();

    let recorder = events.recorder("cluster-secret-store");
    recorder.publish(&store, EventType::Normal, "Valid", "ä".repeat(2000));
    events.flush(PATIENCE).await;

    let api = Api::<Event>::namespaced(cluster.admin.clone(), "default");
    let about = format!("involvedObject.name={}", namespace.name());
    let found = api
        .list(&ListParams::default().fields(&about))
        .await
        .unwrap();
    assert_eq!(found.items.len(), 1);
    assert_eq!(found.items[0].message.as_ref().unwrap().len(), 1024);
}

#[tokio::test]
async fn many_events_at_once_are_all_written() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let events = events(&cluster).await;
    let recorder = events.recorder("external-secrets");

    for number in 0..300 {
        let object = object(namespace.name(), &format!("es-{number}"));
        recorder.publish(&object, EventType::Normal, "Created", "secret created");
    }
    events.flush(PATIENCE).await;

    assert_eq!(stored(&namespace).await.len(), 300);
    assert_eq!(events.dropped(), 0);
}
