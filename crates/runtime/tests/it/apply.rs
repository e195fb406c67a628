//! Writes on a real server: field managers, optimistic replacement, preconditions.

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use lockstep_runtime::api_error::ApiErrorKind;
use lockstep_runtime::api_object::{ApiObject, Written};
use lockstep_runtime::apply::Writer;
use lockstep_testkit::client::TestCluster;
use serde_json::{Value, json};

use crate::place::{User, client};

fn secret(name: &str, value: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": name}, "stringData": {"key": value},
    })
}

#[tokio::test]
async fn a_secret_is_created_once_under_its_manager_and_replaced_only_unchanged() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let writer = Writer::new(client(&cluster, User::Operator).await);
    let target = ApiObject::of::<Secret>(Some(namespace.name()), "s");

    let object = secret("s", "one");
    let created = writer
        .create::<Written>(&target, &object, Some("manager"))
        .await
        .unwrap();
    let again = writer
        .create::<Written>(&target, &object, Some("manager"))
        .await
        .unwrap_err();
    let mut stored: Secret = target.require(writer.client()).await.unwrap();
    stored.immutable = Some(false);
    let replaced = writer
        .replace::<Written>(&target, &stored, Some("manager"))
        .await
        .unwrap();
    let stale = writer
        .replace::<Written>(&target, &stored, Some("manager"))
        .await
        .unwrap_err();

    assert!(again.is(ApiErrorKind::AlreadyExists), "{again}");
    assert!(stale.is(ApiErrorKind::Conflict), "{stale}");
    assert_eq!(replaced.uid, created.uid);
    assert_ne!(replaced.resource_version, created.resource_version);
    let managers = stored.metadata.managed_fields.unwrap();
    assert_eq!(managers[0].manager.as_deref(), Some("manager"));
    assert_eq!(managers[0].operation.as_deref(), Some("Update"));
}

#[tokio::test]
async fn a_delete_spares_what_took_the_name_since() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let writer = Writer::new(client(&cluster, User::Operator).await);
    let target = ApiObject::of::<Secret>(Some(namespace.name()), "s");
    let object = secret("s", "one");
    let first = writer
        .create::<Written>(&target, &object, None)
        .await
        .unwrap();
    writer.delete(&target, &first.uid, None).await.unwrap();
    let second = writer
        .create::<Written>(&target, &object, None)
        .await
        .unwrap();

    let spared = writer.delete(&target, &first.uid, None).await.unwrap_err();
    let stale = writer
        .delete(&target, &second.uid, Some("1"))
        .await
        .unwrap_err();
    let version = Some(second.resource_version.as_str());
    let gone = writer.delete(&target, &second.uid, version).await;
    let absent = writer.delete(&target, &second.uid, None).await;

    assert!(spared.is(ApiErrorKind::Conflict), "{spared}");
    assert!(stale.is(ApiErrorKind::Conflict), "{stale}");
    assert!(gone.is_ok() && absent.is_ok());
    assert_eq!(target.get::<Secret>(writer.client()).await.unwrap(), None);
}

#[tokio::test]
async fn missing_rights_are_told_with_the_servers_words() {
    let cluster = TestCluster::connect().await.unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let writer = Writer::new(client(&cluster, User::Operator).await);
    let target = ApiObject::of::<ConfigMap>(Some(namespace.name()), "c");
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}});

    let refused = writer
        .create::<Written>(&target, &object, None)
        .await
        .unwrap_err();

    assert!(refused.is(ApiErrorKind::Forbidden));
    assert!(
        refused
            .to_string()
            .contains("cannot create resource \"configmaps\"")
    );
}
