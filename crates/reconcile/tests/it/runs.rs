//! Runs of one ExternalSecret.

use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use lockstep_api::ExternalSecret;
use lockstep_plan::NextRun;
use lockstep_reconcile::Generator;
use lockstep_runtime::api_error::{ApiError, ApiErrorKind};

use crate::memory::Memory;

const STORE: &str = r"
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: store, namespace: ns}
spec:
  provider:
    fake:
      data:
      - {key: user, value: bob}
";

const OBJECT: &str = r"
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db, namespace: ns}
spec:
  refreshInterval: 1h
  secretStoreRef: {name: store}
  data:
  - {secretKey: user, remoteRef: {key: user}}
";

fn start() -> Timestamp {
    "2030-01-01T00:00:00Z".parse().unwrap()
}

/// Changes the spec, as its owner would.
fn edit(world: &Memory, change: impl FnOnce(&mut ExternalSecret)) {
    let mut object = world.object.lock().unwrap();
    change(&mut object);
    object.metadata.generation = object.metadata.generation.map(|number| number + 1);
}

fn foreign_secret() -> Secret {
    let mut secret = Secret::default();
    secret.metadata.name = Some("db".to_owned());
    secret.data = Some([("own".to_owned(), ByteString(b"kept".to_vec()))].into());
    secret
}

#[test]
fn the_first_sync_is_three_writes() {
    let world = Memory::new(OBJECT, STORE);

    world.run(start());

    assert_eq!(
        world.taken_log(),
        ["patch finalizers", "create db", "status"]
    );
    assert_eq!(world.value("db", "user").as_deref(), Some("bob"));
    assert_eq!(
        world.ready(),
        ("True".to_owned(), "secret synced".to_owned())
    );
}

#[test]
fn a_generator_of_another_class_is_left_to_its_controller() {
    let world = Memory::new(
        r"
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db, namespace: ns}
spec:
  dataFrom:
  - sourceRef: {generatorRef: {kind: Fake, name: g}}
",
        STORE,
    );
    let generator = |class: &str| Generator {
        kind: "Fake".to_owned(),
        metadata: serde_json::json!({ "name": "g" }),
        spec: serde_json::json!({ "controller": class, "data": { "user": "bob" } }),
    };

    *world.generator.lock().unwrap() = Some(generator("other"));
    let outcome = world.run(start());
    assert_eq!(world.taken_log(), ["patch finalizers"]);
    assert!(matches!(outcome.next, NextRun::OnChange));

    *world.generator.lock().unwrap() = Some(generator("default"));
    world.run(start());
    assert_eq!(world.value("db", "user").as_deref(), Some("bob"));
}

#[test]
fn a_synced_object_is_left_alone_until_its_refresh() {
    let world = Memory::new(OBJECT, STORE);
    world.run(start());
    world.taken_log();

    let outcome = world.run(start());

    assert!(world.taken_log().is_empty());
    assert!(matches!(outcome.next, NextRun::At(at) if at > start()));
}

#[test]
fn an_unchanged_refresh_writes_nothing_but_the_note_of_its_time() {
    let world = Memory::new(OBJECT, STORE);
    world.run(start());
    world.taken_log();

    let outcome = world.run(start() + jiff::SignedDuration::from_hours(2));

    assert_eq!(world.taken_log(), ["status"]);
    assert!(outcome.refreshed.is_some());
}

#[test]
fn a_secret_that_is_there_already_is_looked_at_before_it_is_written() {
    let world = Memory::new(OBJECT, STORE);
    world.put_secret(foreign_secret());

    world.run(start());

    assert_eq!(world.value("db", "user").as_deref(), Some("bob"));
    assert!(world.taken_log().contains(&"read db".to_owned()));
}

#[test]
fn a_conflict_runs_again_without_touching_the_condition() {
    let world = Memory::new(OBJECT, STORE);
    *world.refuse.lock().unwrap() =
        Some(ApiError::new(ApiErrorKind::Conflict, "changed meanwhile"));

    let outcome = world.run(start());

    assert_eq!(outcome.next, NextRun::Backoff);
    assert!(outcome.failure.is_none());
    assert!(world.object.lock().unwrap().status.is_none());
}

#[test]
fn an_object_deleted_mid_run_ends_the_run_quietly() {
    let world = Memory::new(OBJECT, STORE);
    *world.refuse.lock().unwrap() = Some(ApiError::new(ApiErrorKind::NotFound, "not found"));

    let outcome = world.run(start());

    assert_eq!(outcome.next, NextRun::OnChange);
    assert_eq!(world.taken_log(), ["patch finalizers"]);
}

#[test]
fn a_missing_remote_secret_keeps_the_target_that_is_there() {
    let world = Memory::new(OBJECT, STORE);
    world.run(start());
    world.taken_log();
    edit(&world, |object| {
        object.spec.data[0].remote_ref.key = "gone".to_owned();
        object.spec.data[0].remote_ref.property = Some("name".to_owned());
    });

    let outcome = world.run(start());

    assert!(outcome.failure.is_some());
    assert_eq!(world.taken_log(), ["status"]);
    assert_eq!(world.value("db", "user").as_deref(), Some("bob"));
    assert_eq!(
        world.ready(),
        (
            "False".to_owned(),
            "could not get secret data from provider: NotFound: spec.data[0] (key: gone, property: \
             name): SecretStore \"store\": Secret does not exist; create it, or correct the reference"
                .to_owned()
        )
    );
}

#[test]
fn a_former_target_goes_after_the_new_one_is_there() {
    let world = Memory::new(OBJECT, STORE);
    world.run(start());
    world.taken_log();
    edit(&world, |object| {
        object.spec.target.get_or_insert_default().name = Some("renamed".to_owned());
    });

    world.run(start());

    assert_eq!(world.taken_log(), ["create renamed", "delete db", "status"]);
    assert_eq!(world.ready().0, "True");
}

#[test]
fn a_former_target_that_cannot_be_deleted_is_told_and_tried_again() {
    let world = Memory::new(OBJECT, STORE);
    world.run(start());
    edit(&world, |object| {
        object.spec.target.get_or_insert_default().name = Some("renamed".to_owned());
    });
    *world.refuse_delete.lock().unwrap() =
        Some(ApiError::new(ApiErrorKind::Forbidden, "forbidden"));

    let outcome = world.run(start());

    assert_eq!(outcome.next, NextRun::Backoff);
    assert_eq!(
        world.ready(),
        (
            "False".to_owned(),
            "could not delete orphaned secrets: ApiServer: unable to delete secret db: forbidden"
                .to_owned()
        )
    );
    assert!(world.value("renamed", "user").is_some());
    world.run(start());
    assert_eq!(world.ready().0, "True");
    assert!(world.value("db", "user").is_none());
}

#[test]
fn a_store_that_does_not_exist_is_named_in_the_condition() {
    let world = Memory::new(&OBJECT.replace("{name: store}", "{name: nowhere}"), STORE);

    world.run(start());

    let (status, message) = world.ready();
    assert_eq!(status, "False");
    assert!(message.contains("nowhere"), "{message}");
}

#[test]
fn an_object_being_deleted_loses_its_finalizer_and_keeps_its_secret() {
    let world = Memory::new(OBJECT, STORE);
    world.run(start());
    world.taken_log();
    world.object.lock().unwrap().metadata.deletion_timestamp =
        Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(start()));

    world.run(start());

    assert_eq!(world.taken_log(), ["patch finalizers"]);
    assert!(
        world
            .object
            .lock()
            .unwrap()
            .metadata
            .finalizers
            .as_ref()
            .unwrap()
            .is_empty()
    );
    assert!(world.value("db", "user").is_some());
}

#[test]
fn a_changed_store_is_followed_at_once_and_only_where_time_is_followed() {
    let once = OBJECT.replace("refreshInterval: 1h", "refreshPolicy: CreatedOnce");
    for (object, follows) in [(OBJECT, true), (once.as_str(), false)] {
        let world = Memory::new(object, STORE);
        world.run(start());
        *world.inputs_changed.lock().unwrap() = true;

        let outcome = world.run(start());

        assert_eq!(outcome.refreshed.is_some(), follows, "{object}");
    }
}

#[test]
fn the_guard_keeps_a_secret_from_being_deleted_and_from_being_emptied() {
    for policy in ["Delete", "Merge"] {
        let world = Memory::new(OBJECT, STORE);
        world.run(start());
        edit(&world, |object| {
            let target = serde_json::json!({ "deletionPolicy": policy });
            object.spec.target = serde_json::from_value(target).unwrap();
            object.spec.data[0].remote_ref.key = "lost".to_owned();
        });
        *world.held.lock().unwrap() = true;

        let held = world.run(start());

        let failure = held.failure.unwrap();
        assert_eq!(failure.cause(), "DeletionHeld", "{policy}");
        assert_eq!(world.value("db", "user").as_deref(), Some("bob"));

        *world.held.lock().unwrap() = false;
        world.run(start());
        assert_eq!(world.value("db", "user"), None, "{policy}");
    }
}

#[test]
fn the_guard_is_not_asked_about_an_object_that_never_had_a_secret() {
    let object = OBJECT.replace(
        "key: user}}",
        "key: none}}\n  target: {deletionPolicy: Delete}",
    );
    let world = Memory::new(&object, STORE);
    *world.held.lock().unwrap() = true;

    let outcome = world.run(start());

    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
}
