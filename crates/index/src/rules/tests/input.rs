//! Changes of what objects and stores read from.

use super::*;
use crate::rows::InputKey;

/// An ExternalSecret whose template comes from ConfigMap `texts`.
fn templated(name: &str) -> ExternalSecret {
    let spec = json!({
        "secretStoreRef": { "name": "store" },
        "target": { "template": { "templateFrom": [
            { "configMap": { "name": "texts", "items": [{ "key": "k" }] } },
        ] } },
    });
    typed(&metadata(name, 1), spec, condition("True"))
}

fn generated(name: &str, kind: &str) -> ExternalSecret {
    let reference = json!({
        "apiVersion": "generators.external-secrets.io/v1alpha1", "kind": kind, "name": "g",
    });
    let spec = json!({ "dataFrom": [{ "sourceRef": { "generatorRef": reference } }] });
    typed(&metadata(name, 1), spec, condition("True"))
}

fn credential(name: &str) -> InputKey {
    InputKey {
        kind: InputKind::Secret,
        name: key(name),
    }
}

/// An index with a store, an object that reads through it, and the store's credential.
fn connected(caller: Option<&str>) -> Index {
    let index = knowing(see_store, store(1, condition("True")));
    see_external_secret(&index, ready("a"));
    let _ = index.store_connected(&store_key(), caller, vec![credential("token")]);
    index
}

#[test]
fn the_first_config_map_that_is_named_has_config_maps_watched() {
    let index = index();

    let first = see_external_secret(&index, templated("a"));
    let second = see_external_secret(&index, templated("b"));

    let watch = Wake::WatchInput(InputKind::ConfigMap);
    assert_eq!(first, [watch, es_now("a", Trigger::Changed)]);
    assert_eq!(second, [es_now("b", Trigger::Changed)]);
}

#[test]
fn a_config_map_that_changed_requeues_those_who_read_it() {
    let index = knowing(see_external_secret, templated("a"));
    see_external_secret(&index, ready("b"));
    see_input(&index, InputKind::ConfigMap, metadata("texts", 1));

    let wakes = see_input(&index, InputKind::ConfigMap, metadata("texts", 2));

    assert_eq!(wakes, [es_now("a", Trigger::InputChanged)]);
    let (_, memory) = index.external_secrets().snapshot(&key("a")).unwrap();
    assert!(memory.inputs_changed());
}

#[test]
fn a_config_map_shown_again_requeues_no_one() {
    let index = knowing(see_external_secret, templated("a"));
    see_input(&index, InputKind::ConfigMap, metadata("texts", 1));

    let wakes = see_input(&index, InputKind::ConfigMap, metadata("texts", 1));

    assert_eq!(wakes, []);
}

#[test]
fn a_config_map_that_no_one_names_requeues_no_one() {
    let index = knowing(see_external_secret, templated("a"));

    let wakes = see_input(&index, InputKind::ConfigMap, metadata("other", 1));

    assert_eq!(wakes, []);
}

#[test]
fn a_config_map_in_the_first_list_is_no_change() {
    let index = knowing(see_external_secret, templated("a"));

    list(index.input_kind_seen(&InputKind::ConfigMap, Seen::ListBegins, now()));
    let wakes = see_input(&index, InputKind::ConfigMap, metadata("texts", 1));

    assert_eq!(wakes, []);
}

#[test]
fn a_config_map_that_appears_later_is_a_change() {
    let index = knowing(see_external_secret, templated("a"));

    let wakes = see_input(&index, InputKind::ConfigMap, metadata("texts", 1));

    assert_eq!(wakes, [es_now("a", Trigger::InputChanged)]);
}

#[test]
fn a_deleted_config_map_requeues_those_who_read_it() {
    let index = knowing(see_external_secret, templated("a"));
    see_input(&index, InputKind::ConfigMap, metadata("texts", 1));

    let wakes =
        list(index.input_kind_seen(&InputKind::ConfigMap, deleted(metadata("texts", 1)), now()));

    assert_eq!(wakes, [es_now("a", Trigger::InputChanged)]);
}

#[test]
fn a_config_map_that_a_new_list_does_not_show_requeues_those_who_read_it() {
    let index = knowing(see_external_secret, templated("a"));
    see_input(&index, InputKind::ConfigMap, metadata("texts", 1));

    list(index.input_kind_seen(&InputKind::ConfigMap, Seen::ListBegins, now()));
    let wakes = list(index.input_kind_seen(&InputKind::ConfigMap, Seen::ListEnds, now()));

    assert_eq!(wakes, [es_now("a", Trigger::InputChanged)]);
}

#[test]
fn a_secret_missing_from_the_list_of_unlabelled_ones_says_nothing() {
    let index = connected(None);
    see_target(&index, secret("token", 1, ("v", "v")));

    list(index.input_kind_seen(&InputKind::Secret, Seen::ListBegins, now()));
    let wakes = list(index.input_kind_seen(&InputKind::Secret, Seen::ListEnds, now()));

    assert_eq!(wakes, []);
}

#[test]
fn an_input_that_is_no_longer_named_requeues_no_one() {
    let index = knowing(see_external_secret, templated("a"));
    let mut plain = written(ready("a"));
    plain.metadata.generation = Some(2);
    see_external_secret(&index, plain);

    let wakes = see_input(&index, InputKind::ConfigMap, metadata("texts", 1));

    assert_eq!(wakes, []);
}

#[test]
fn an_input_of_a_deleted_object_requeues_no_one() {
    let index = knowing(see_external_secret, templated("a"));
    list(index.external_secret_seen(deleted(templated("a")), now()));

    let wakes = see_input(&index, InputKind::ConfigMap, metadata("texts", 1));

    assert_eq!(wakes, []);
}

#[test]
fn the_first_generator_of_a_kind_has_that_kind_watched() {
    let wakes = see_external_secret(&index(), generated("a", "Password"));

    let watch = Wake::WatchInput(InputKind::Generator("Password".into()));
    assert_eq!(wakes, [watch, es_now("a", Trigger::Changed)]);
}

#[test]
fn a_generator_with_another_spec_requeues_those_who_name_it() {
    let index = knowing(see_external_secret, generated("a", "Password"));
    let kind = InputKind::Generator("Password".into());
    let generator = |generation: i64, version: u32| {
        let mut metadata = metadata("g", version);
        metadata.generation = Some(generation);
        metadata
    };
    see_input(&index, kind.clone(), generator(1, 1));

    let status = see_input(&index, kind.clone(), generator(1, 2));
    let spec = see_input(&index, kind, generator(2, 3));

    assert_eq!(status, []);
    assert_eq!(spec, [es_now("a", Trigger::InputChanged)]);
}

#[test]
fn a_cluster_generator_is_found_without_a_namespace() {
    let index = knowing(see_external_secret, generated("a", "ClusterGenerator"));
    let kind = InputKind::Generator("ClusterGenerator".into());
    list(index.input_kind_seen(&kind, Seen::ListEnds, now()));
    let mut cluster = metadata("g", 1);
    cluster.namespace = None;

    let wakes = see_input(&index, kind, cluster);

    assert_eq!(wakes, [es_now("a", Trigger::InputChanged)]);
}

#[test]
fn the_first_credential_of_a_store_has_secrets_watched() {
    let wakes = index().store_connected(&store_key(), None, vec![credential("token")]);

    assert_eq!(list(wakes), [Wake::WatchInput(InputKind::Secret)]);
}

#[test]
fn a_new_credential_reconnects_checks_the_store_and_requeues_its_users() {
    let index = connected(None);

    let wakes = see_input(&index, InputKind::Secret, metadata("token", 2));

    let trigger = Trigger::CredentialChanged;
    let expected = [
        Wake::Reconnect(store_key()),
        es_at("a", now(), trigger),
        store_now(trigger),
    ];
    assert_eq!(wakes, expected);
}

#[test]
fn a_credential_that_is_a_managed_secret_counts_too() {
    let index = connected(None);

    let wakes = see_target(&index, secret("token", 2, ("v", "v")));

    assert_eq!(wakes.first(), Some(&Wake::Reconnect(store_key())));
}

#[test]
fn a_credential_read_for_a_namespace_without_objects_is_not_kept() {
    let index = connected(Some("ns"));
    let _ = index.store_connected(&store_key(), Some("other"), vec![credential("token")]);

    let wakes = see_input(&index, InputKind::Secret, metadata("token", 2));

    let users = wakes
        .iter()
        .filter(|wake| **wake == es_at("a", now(), Trigger::CredentialChanged));
    assert_eq!(users.count(), 1);
}

#[test]
fn a_new_credential_requeues_pushers_that_are_not_ready() {
    let index = connected(None);
    see_push_secret(&index, push_secret("p"));

    let wakes = see_input(&index, InputKind::Secret, metadata("token", 2));

    assert!(
        wakes.contains(&push_retry("p", Trigger::CredentialChanged)),
        "{wakes:?}"
    );
}

#[test]
fn credentials_of_a_deleted_store_requeue_no_one() {
    let index = connected(None);
    list(index.store_seen(
        StoreKind::SecretStore,
        deleted(store(1, Value::Null)),
        now(),
    ));

    let wakes = see_input(&index, InputKind::Secret, metadata("token", 2));

    assert_eq!(wakes, []);
}

#[test]
fn credentials_read_through_an_old_spec_requeue_no_one() {
    let index = connected(None);
    let mut metadata_of_store = metadata("store", 2);
    metadata_of_store.generation = Some(2);
    let changed: SecretStore = typed(&metadata_of_store, store_spec(), condition("True"));
    see_store(&index, StoreRecord::from(changed));

    let wakes = see_input(&index, InputKind::Secret, metadata("token", 2));

    assert_eq!(wakes, []);
}
