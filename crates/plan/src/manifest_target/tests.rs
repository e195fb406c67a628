//! Targets that are no Secrets: what they are made of, whose they are, and what stays.

use std::collections::BTreeMap;

use lockstep_api::ExternalSecret;
use lockstep_provider_api::{SecretMap, SecretValue};
use proptest::collection::btree_map;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::external_secret::{
    Applied, Decision, Observed, ObservedTarget, SourceKey, SourceKind, TargetOutcome, TargetPlan,
    decide, report, writes,
};
use crate::failure::Failure;
use crate::settings::Settings;
use crate::testing::{Scene, UID, budget, map, noon, one_value, work};

fn settings() -> Settings {
    Settings {
        generic_targets: true,
        ..Settings::default()
    }
}

fn object(value: Value) -> Object {
    serde_json::from_value(value).unwrap()
}

/// An ExternalSecret whose target is of this kind.
fn target(kind: &str, more: &str) -> ExternalSecret {
    one_value(&format!(
        "target: {{name: m, manifest: {{apiVersion: v1, kind: {kind}}}, {more}}}"
    ))
}

fn observe<T>(
    external_secret: ExternalSecret,
    live: Option<&Object>,
    test: impl FnOnce(&Observed<'_>) -> T,
) -> T {
    let mut scene = Scene::of(external_secret);
    let key = SourceKey {
        kind: SourceKind::ConfigMap,
        name: "t".to_owned(),
    };
    scene.sources.insert(
        key,
        Ok(map([("conf", "x-{{ .a }}"), ("map", "k: '{{ .a }}'")])),
    );
    scene.observe(|observed| {
        test(&Observed {
            target: ObservedTarget::Object(live.cloned().map(Box::new)),
            ..observed.clone()
        })
    })
}

fn planned(
    external_secret: ExternalSecret,
    live: Option<&Object>,
    data: SecretMap,
) -> Result<ObjectPlan, Failure> {
    observe(external_secret, live, |observed| {
        match writes(observed, data, work(&settings(), &budget()))?.0 {
            TargetPlan::Object(plan) => Ok(plan),
            other => panic!("{other:?}"),
        }
    })
}

/// The object that is created.
fn created(external_secret: ExternalSecret) -> Value {
    match planned(external_secret, None, map([("a", "v")])).unwrap() {
        ObjectPlan::Create(object) => Value::Object(object.expose().clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_config_map_gets_values_as_texts_with_owner_label_and_hash() {
    let made = created(target("ConfigMap", ""));

    assert_eq!(made["apiVersion"], "v1");
    assert_eq!(made["kind"], "ConfigMap");
    assert_eq!(made["data"], json!({"a": "v"}));
    let metadata = &made["metadata"];
    assert_eq!(metadata["name"], "m");
    assert_eq!(metadata["namespace"], "ns");
    assert_eq!(
        metadata["labels"]["reconcile.external-secrets.io/managed"],
        "true"
    );
    // As recorded from the original for these contents.
    assert_eq!(
        metadata["annotations"]["reconcile.external-secrets.io/data-hash"],
        "7f11384e50b682a5d6cbad92436a69f6f0fed8b6bf8a3c97b5c6c34c"
    );
    assert_eq!(metadata["ownerReferences"][0]["uid"], UID);
}

#[test]
fn other_kinds_get_values_below_spec() {
    assert_eq!(
        created(target("Fake", ""))["spec"],
        json!({"data": {"a": "v"}})
    );
}

#[test]
fn a_secret_gets_values_as_base64() {
    let made = created(target("Secret", ""));

    assert_eq!(made["data"], json!({"a": "dg=="}));
    assert_eq!(made.get("spec"), None);
}

#[test]
fn a_template_renders_data_and_leaves_metadata_as_written() {
    let template = "template: {metadata: {labels: {l: '{{ .a }}'}}, data: {x: 'u={{ .a }}'}}";

    let made = created(target("ConfigMap", template));

    assert_eq!(made["data"], json!({"x": "u=v"}));
    assert_eq!(made["metadata"]["labels"]["l"], "{{ .a }}");
}

#[test]
fn literals_go_to_any_path() {
    let from = |entry: &str| {
        created(target(
            "Thing",
            &format!("template: {{templateFrom: [{entry}]}}"),
        ))
    };

    assert_eq!(
        from("{target: spec.data, literal: \"user: '{{ .a }}'\"}")["spec"],
        json!({"data": {"user": "v"}})
    );
    assert_eq!(
        from("{target: 'spec.list[1].x', literal: 'k: 5'}")["spec"],
        json!({"list": [null, {"x": {"k": 5}}]})
    );
    assert_eq!(
        from("{target: spec, literal: 'k: yes'}")["spec"],
        json!({"k": true})
    );
    assert_eq!(
        from("{target: Annotations, literal: 'k: 5'}")["metadata"]["annotations"]["k"],
        "5"
    );
    assert_eq!(
        from("{target: top, literal: 'k: 5'}")["top"],
        json!({"k": 5})
    );
}

#[test]
fn config_maps_give_values_and_maps() {
    let from = |target_path: &str, item: &str| {
        let entry = format!("{{target: {target_path}, configMap: {{name: t, items: [{item}]}}}}");
        created(target(
            "Thing",
            &format!("template: {{templateFrom: [{entry}]}}"),
        ))
    };

    assert_eq!(from("spec", "{key: conf}")["spec"], json!({"conf": "x-v"}));
    assert_eq!(from("spec.it", "{key: conf}")["spec"], json!({"it": "x-v"}));
    assert_eq!(
        from("spec.it", "{key: map, templateAs: KeysAndValues}")["spec"],
        json!({"it": {"k": "v"}})
    );
}

#[test]
fn fetched_values_are_never_run_as_templates() {
    let from = "template: {templateFrom: [{configMap: {name: t, items: [{key: conf}]}}]}";
    let data = map([("a", "{{ fail \"run\" }}")]);

    let made = planned(target("ConfigMap", from), None, data).unwrap();

    let ObjectPlan::Create(made) = made else {
        panic!("{made:?}")
    };
    assert_eq!(made.expose()["data"]["conf"], "x-{{ fail \"run\" }}");
}

#[test]
fn maps_at_a_path_are_merged_one_level_deep() {
    let template = "template: {templateFrom: [{target: spec.m, literal: 'a: 1'}, \
                    {target: spec.m, literal: 'b: 2'}]}";

    assert_eq!(
        created(target("Thing", template))["spec"],
        json!({"m": {"a": 1, "b": 2}})
    );
}

#[test]
fn a_path_that_does_not_fit_is_told() {
    let bad = "template: {templateFrom: [{target: 'a..b', literal: 'a: 1'}]}";
    let failure = planned(target("Thing", bad), None, map([("a", "v")])).unwrap_err();
    assert_eq!(
        failure.condition_message(),
        "could not apply template to manifest: Template: error fetching templateFrom data: invalid \
         target path \"a..b\": every part begins with a name"
    );
}

#[test]
fn bytes_that_are_no_text_are_refused_without_showing_them() {
    let bytes = SecretMap::from_iter([("a".to_owned(), vec![0xff].into())]);

    for kind in ["ConfigMap", "Thing"] {
        let failure = planned(target(kind, ""), None, bytes.clone()).unwrap_err();
        assert!(failure.condition_message().contains("UTF-8"), "{failure}");
    }
    assert!(planned(target("Secret", ""), None, bytes).is_ok());
}

/// A live object `m`, controlled by the ExternalSecret unless it says otherwise.
fn live(more: Value) -> Object {
    let mut value = json!({
        "apiVersion": "v1",
        "kind": "Thing",
        "metadata": {
            "name": "m", "namespace": "ns", "uid": "m-uid", "resourceVersion": "5",
            "ownerReferences": [{
                "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret", "name": "es",
                "uid": UID, "controller": true, "blockOwnerDeletion": true,
            }],
        },
    });
    let Value::Object(more) = more else {
        panic!("no object")
    };
    value.as_object_mut().unwrap().extend(more);
    object(value)
}

fn written(kind: &str, more: &str, data: SecretMap) -> Object {
    match planned(target(kind, more), None, data).unwrap() {
        ObjectPlan::Create(mut made) => {
            let metadata = made.0["metadata"].as_object_mut().unwrap();
            metadata.insert("uid".to_owned(), "m-uid".into());
            metadata.insert("resourceVersion".to_owned(), "5".into());
            made
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_written_is_in_sync_and_valid() {
    for kind in ["ConfigMap", "Secret", "Thing"] {
        let made = written(kind, "", map([("a", "v")]));

        assert!(made.is_untouched(), "{kind}");
        let again = planned(target(kind, ""), Some(&made), map([("a", "v")])).unwrap();
        assert_eq!(again, ObjectPlan::InSync, "{kind}");
    }
}

#[test]
fn labels_of_others_stay_and_contents_are_replaced() {
    let mut made = written("ConfigMap", "", map([("a", "v")]));
    made.0["metadata"]["labels"]["mine"] = "1".into();
    made.0["metadata"]["annotations"]["note"] = "x".into();
    made.0["data"]["foreign"] = "x".into();
    assert!(!made.is_untouched());

    let plan = planned(target("ConfigMap", ""), Some(&made), map([("a", "w")])).unwrap();

    let ObjectPlan::Replace(made) = plan else {
        panic!("{plan:?}")
    };
    assert_eq!(made.0["data"], json!({"a": "w"}));
    assert_eq!(made.0["metadata"]["labels"]["mine"], "1");
    assert_eq!(made.0["metadata"]["annotations"]["note"], "x");
    assert_eq!(made.0["metadata"]["resourceVersion"], "5");
}

#[test]
fn merging_keeps_foreign_keys_and_takes_back_ours() {
    let managed = json!([{
        "manager": "external-secrets", "operation": "Update",
        "fieldsV1": {"f:data": {"f:old": {}}},
    }]);
    let mut held = live(json!({"data": {"foreign": "1", "old": "2"}}));
    held.0["metadata"]["managedFields"] = managed;
    held.0["metadata"]["ownerReferences"] = json!([]);
    let merge = "creationPolicy: Merge";

    let plan = planned(target("ConfigMap", merge), Some(&held), map([("a", "v")])).unwrap();

    let ObjectPlan::Replace(made) = plan else {
        panic!("{plan:?}")
    };
    assert_eq!(made.0["data"], json!({"a": "v", "foreign": "1"}));
    let missing = planned(target("ConfigMap", merge), None, map([("a", "v")])).unwrap();
    assert_eq!(missing, ObjectPlan::Missing);
}

#[test]
fn an_object_of_another_external_secret_is_refused() {
    let mut held = live(json!({"spec": {}}));
    held.0["metadata"]["ownerReferences"][0]["name"] = "other".into();

    let failure = planned(target("Thing", ""), Some(&held), map([("a", "v")])).unwrap_err();

    assert_eq!(
        failure.constant_message(),
        "target is owned by another ExternalSecret"
    );
}

#[test]
fn only_what_is_controlled_is_deleted() {
    let delete = "deletionPolicy: Delete";
    let mut foreign = live(json!({"spec": {}}));
    foreign.0["metadata"]["ownerReferences"] = json!([]);

    let gone = planned(target("Thing", delete), None, SecretMap::new()).unwrap();
    let ours = planned(
        target("Thing", delete),
        Some(&live(json!({}))),
        SecretMap::new(),
    );
    let theirs = planned(target("Thing", delete), Some(&foreign), SecretMap::new());

    assert_eq!(gone, ObjectPlan::Gone);
    assert!(matches!(ours, Ok(ObjectPlan::Delete(delete)) if delete.uid == "m-uid"));
    assert_eq!(
        theirs.unwrap_err().constant_message(),
        "could not delete resource"
    );
}

#[test]
fn an_external_secret_that_goes_takes_only_its_own_object_along() {
    let mut foreign = live(json!({"spec": {}}));
    foreign.0["metadata"]["ownerReferences"] = json!([]);

    for (held, deletes) in [(live(json!({"spec": {}})), true), (foreign, false)] {
        let mut going = target("Thing", "deletionPolicy: Delete");
        going.metadata.deletion_timestamp = Some(crate::conditions::seconds(noon()));
        let decision = observe(going, Some(&held), |observed| {
            decide(observed, &settings(), noon()).decision
        });

        let Decision::Release(release) = decision else {
            panic!("{decision:?}")
        };
        assert_eq!(release.object.is_some(), deletes);
    }
}

#[test]
fn conditions_and_events_speak_of_resources() {
    let told = |outcome: TargetOutcome| {
        observe(target("Thing", ""), None, |observed| {
            let report = report(observed, Applied::target(outcome), &settings(), noon());
            let status = report.status.unwrap();
            let ready = &status.conditions[0];
            assert_eq!(status.binding, None);
            let event = report.events.first().map(|event| event.message.clone());
            (
                ready.reason.clone().unwrap(),
                ready.message.clone().unwrap(),
                event,
            )
        })
    };

    let synced = told(TargetOutcome::Created);
    assert_eq!(
        (&*synced.0, &*synced.1),
        ("ResourceSynced", "secret synced")
    );
    assert_eq!(synced.2.as_deref(), Some("Created Thing m"));
    let missing = told(TargetOutcome::Missing);
    assert_eq!(
        (&*missing.0, &*missing.1),
        (
            "ResourceMissing",
            "resource will not be created due to CreationPolicy=Merge"
        )
    );
    let failure = Failure::api("could not update secret", "no");
    assert_eq!(
        told(TargetOutcome::Failed(failure)).0,
        "ResourceSyncedError"
    );
}

#[test]
fn contents_appear_in_no_debug_output() {
    let made = written("ConfigMap", "", map([("a", "hunter2-canary")]));

    assert!(!format!("{made:?}").contains("canary"));
    assert!(!format!("{:?}", ObjectPlan::Create(made)).contains("canary"));
}

/// A live object that someone else made.
fn found(kind: &str, data: &BTreeMap<String, String>) -> Object {
    let content = if kind == "Thing" {
        json!({"spec": {"data": data}, "other": 1})
    } else {
        json!({"data": data, "other": 1})
    };
    let mut live = live(content);
    live.0.insert("kind".to_owned(), kind.into());
    live.0["metadata"]["ownerReferences"] = json!([]);
    live.0["metadata"]["labels"] = json!({"theirs": "x"});
    live
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_second_run_does_nothing_and_no_key_comes_from_nowhere(
        kind in prop::sample::select(vec!["ConfigMap", "Secret", "Thing"]),
        policy in prop::sample::select(vec!["Owner", "Orphan", "CreateOrMerge", "Merge"]),
        wanted in btree_map("[a-d]", "[x-z]{0,2}", 1..4),
        held in prop::option::of(btree_map("[a-d]", "[x-z]{0,2}", 0..4)),
    ) {
        let data: SecretMap = wanted
            .iter()
            .map(|(key, value)| (key.clone(), SecretValue::from(value.as_str())))
            .collect();
        let before = held.as_ref().map(|data| found(kind, data));
        let object = || target(kind, &format!("creationPolicy: {policy}"));

        let made = match planned(object(), before.as_ref(), data.clone()).unwrap() {
            ObjectPlan::Create(made) | ObjectPlan::Replace(made) => made,
            ObjectPlan::InSync => return Ok(()),
            ObjectPlan::Missing => {
                prop_assert!(policy == "Merge" && before.is_none());
                return Ok(());
            }
            other => panic!("{other:?}"),
        };

        prop_assert!(made.is_untouched());
        let again = planned(object(), Some(&made), data).unwrap();
        prop_assert_eq!(again, ObjectPlan::InSync);
        let content = if kind == "Thing" { &made.0["spec"]["data"] } else { &made.0["data"] };
        let merges = policy.contains("Merge") && kind != "Thing";
        for key in content.as_object().unwrap().keys() {
            let was_held = held.as_ref().is_some_and(|held| held.contains_key(key));
            prop_assert!(wanted.contains_key(key) || (merges && was_held));
        }
        if before.is_some() {
            prop_assert_eq!(&made.0["metadata"]["labels"]["theirs"], "x");
            prop_assert_eq!(&made.0["other"], 1);
        }
    }
}

#[test]
fn a_target_that_cannot_be_read_fails_before_anything_is_fetched() {
    let failure = Failure::api("could not get the target", "forbidden".to_owned());

    let decision = observe(target("ConfigMap", ""), None, |observed| {
        let observed = Observed {
            target: ObservedTarget::Unreadable(failure.clone()),
            ..observed.clone()
        };
        decide(&observed, &settings(), noon()).decision
    });

    assert_eq!(decision, Decision::Fail(failure));
}
