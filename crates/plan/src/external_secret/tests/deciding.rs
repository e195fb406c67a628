//! What a run decides before anything is fetched.

use lockstep_api::ExternalSecret;
use lockstep_api::keys::FINALIZER_EXTERNAL_SECRET;
use lockstep_provider_api::{Find, MetadataPolicy, RemoteRef};

use crate::conditions::{ready, seconds};
use crate::external_secret::*;
use crate::settings::Settings;
use crate::store::{StoreKey, StoreView};
use crate::testing::{
    Scene, UID, at, external_secret, lookup, noon, one_value, ready_cluster_store, ready_store,
    secret,
};

fn verdict(scene: &Scene) -> Verdict {
    scene.observe(|observed| decide(observed, &Settings::default(), noon()))
}

fn decision(scene: &Scene) -> Decision {
    verdict(scene).decision
}

fn items(scene: &Scene) -> Vec<FetchItem> {
    match decision(scene) {
        Decision::Fetch(list) => list.items,
        other => panic!("{other:?}"),
    }
}

fn event(scene: &Scene) -> String {
    match decision(scene) {
        Decision::Fail(failure) => failure.event().to_owned(),
        other => panic!("{other:?}"),
    }
}

fn is_idle(scene: &Scene) -> bool {
    matches!(decision(scene), Decision::Idle { .. })
}

/// The object after a sync half an hour ago that ended with this reason and message.
fn ended(mut object: ExternalSecret, reason: &str, message: &str) -> ExternalSecret {
    let version = synced_resource_version(&object);
    let status = object.status.get_or_insert_default();
    status.refresh_time = Some(seconds(at("2026-05-01T11:30:00Z")));
    status.synced_resource_version = Some(version);
    status.observed_generation = object.metadata.generation;
    crate::conditions::set(&mut status.conditions, ready(true, reason, message), noon());
    object
}

fn synced(object: ExternalSecret) -> ExternalSecret {
    ended(object, "SecretSynced", "secret synced")
}

/// The target as it was written, with data `a: v`.
fn target() -> k8s_openapi::api::core::v1::Secret {
    secret(
        "metadata:
  name: es
  namespace: ns
  uid: target-uid
  resourceVersion: '9'
  labels: {reconcile.external-secrets.io/managed: 'true'}
  annotations:
    reconcile.external-secrets.io/data-hash: \
         9c0bfff0356efd80611a1ec73594c79465a0378528c732092a39b27c
  ownerReferences:
  - {apiVersion: external-secrets.io/v1, kind: ExternalSecret, name: es, uid: es-uid, \
         controller: true, blockOwnerDeletion: true}
stringData: {a: v}",
    )
}

#[test]
fn the_finalizer_is_added_first_and_the_run_goes_on() {
    let mut object = one_value("");
    object.metadata.finalizers = Some(vec!["other/one".to_owned()]);

    let verdict = verdict(&Scene::of(object.clone()));

    assert!(verdict.add_finalizer);
    assert!(matches!(verdict.decision, Decision::Fetch(_)));
    assert_eq!(
        add_finalizer(&object),
        serde_json::json!({ "metadata": {
            "finalizers": ["other/one", FINALIZER_EXTERNAL_SECRET],
            "resourceVersion": "7",
        }})
    );
}

#[test]
fn removing_the_finalizer_keeps_those_of_others() {
    let mut object = one_value("");
    object
        .metadata
        .finalizers
        .as_mut()
        .unwrap()
        .push("other/one".to_owned());

    assert_eq!(
        remove_finalizer(&object)["metadata"]["finalizers"],
        serde_json::json!(["other/one"])
    );
}

#[test]
fn sets_come_before_values_and_each_names_its_store() {
    let object = external_secret(
        "secretStoreRef: {name: s}
data:
- {secretKey: a, remoteRef: {key: k, property: p, version: '2', metadataPolicy: Fetch}}
- {secretKey: b, remoteRef: {key: l, property: ''}, sourceRef: {storeRef: {name: c, \
         kind: ClusterSecretStore}}}
dataFrom:
- extract: {key: m}
- find: {path: x, name: {regexp: y}, tags: {t: u}, conversionStrategy: Unicode}
- sourceRef: {storeRef: {name: s}}
- sourceRef: {generatorRef: {kind: Fake, name: g}}",
    );
    let mut scene = Scene::of(object);
    scene
        .stores
        .extend(lookup([StoreView::of(&ready_cluster_store("c", ""))]));

    let items = items(&scene);

    let entries: Vec<SpecEntry> = items.iter().map(|item| item.entry).collect();
    assert_eq!(
        entries,
        [
            SpecEntry::DataFrom(0),
            SpecEntry::DataFrom(1),
            SpecEntry::DataFrom(3),
            SpecEntry::Data(0),
            SpecEntry::Data(1)
        ]
    );
    let own = || StoreKey::namespaced("ns", "s");
    let find = Find {
        path: Some("x".to_owned()),
        name: Some("y".to_owned()),
        tags: Some([("t".to_owned(), "u".to_owned())].into()),
        conversion: lockstep_provider_api::keys::Conversion::Unicode,
    };
    let value = RemoteRef {
        key: "k".to_owned(),
        property: Some("p".to_owned()),
        version: Some("2".to_owned()),
        metadata: MetadataPolicy::Fetch,
    };
    assert_eq!(
        items[0].source,
        Source::Store {
            key: own(),
            read: Read::Map(RemoteRef::key("m"))
        }
    );
    assert_eq!(
        items[1].source,
        Source::Store {
            key: own(),
            read: Read::Find(find)
        }
    );
    assert!(matches!(&items[2].source, Source::Generator(generator) if generator.name == "g"));
    assert_eq!(
        items[3].source,
        Source::Store {
            key: own(),
            read: Read::Value(value)
        }
    );
    assert_eq!(
        items[4].source,
        Source::Store {
            key: StoreKey::cluster("c"),
            read: Read::Value(RemoteRef::key("l"))
        }
    );
}

#[test]
fn every_named_store_is_listed_once() {
    let object = external_secret(
        "secretStoreRef: {name: s}
data: [{secretKey: a, remoteRef: {key: k}, sourceRef: {storeRef: {name: s}}}]
dataFrom: [{extract: {key: k}, sourceRef: {storeRef: {name: c, kind: ClusterSecretStore}}}]",
    );

    let keys: Vec<StoreKey> = store_keys(&object).into_iter().collect();

    assert_eq!(
        keys,
        [StoreKey::namespaced("ns", "s"), StoreKey::cluster("c")]
    );
}

#[test]
fn a_missing_store_fails_the_entry_that_names_it() {
    let object = external_secret(
        "secretStoreRef: {name: s}
data:
- {secretKey: a, remoteRef: {key: k}}
- {secretKey: b, remoteRef: {key: k}, sourceRef: {storeRef: {name: nowhere}}}",
    );

    assert_eq!(
        event(&Scene::of(object)),
        "error processing spec.data[1] (key: k), err: could not get SecretStore \"nowhere\", \
         SecretStore.external-secrets.io \"nowhere\" not found"
    );
}

#[test]
fn an_entry_without_a_store_says_what_to_set() {
    let generator = "sourceRef: {generatorRef: {kind: Fake, name: g}}";
    for (more, remedy) in [
        (
            "",
            "no store is named; set spec.secretStoreRef or sourceRef.storeRef",
        ),
        (
            generator,
            "generatorRef works in spec.dataFrom only; name a store here",
        ),
    ] {
        let entry = format!("secretKey: a, remoteRef: {{key: k}}, {more}");
        let scene = Scene::of(external_secret(&format!("data: [{{{entry}}}]")));

        let Decision::Fail(failure) = decision(&scene) else {
            panic!("{more}")
        };

        assert_eq!(
            failure.event(),
            "error processing spec.data[0] (key: k), err: could not get SecretStore \"\", \
             SecretStore.external-secrets.io \"\" not found"
        );
        assert_eq!(
            failure.condition_message(),
            format!(
                "could not get secret data from provider: StoreNotFound: spec.data[0] (key: k): \
                 {remedy}"
            )
        );
    }
}

#[test]
fn the_flood_gate_wants_a_ready_store() {
    let mut store = ready_store("s");
    for condition in ["False", "Unknown"] {
        store.status.as_mut().unwrap().conditions[0].status = condition.to_owned();
        let mut scene = Scene::of(one_value(""));
        scene.stores = lookup([StoreView::of(&store)]);

        assert_eq!(
            event(&scene),
            "error processing spec.data[0] (key: k), err: SecretStore \"s\" is not ready"
        );
    }
    store.status = None;
    let mut scene = Scene::of(one_value(""));
    scene.stores = lookup([StoreView::of(&store)]);
    let open = Settings {
        flood_gate: false,
        ..Settings::default()
    };

    assert!(event(&scene).ends_with("is not ready"));
    let verdict = scene.observe(|observed| decide(observed, &open, noon()));
    assert!(matches!(verdict.decision, Decision::Fetch(_)));
}

#[test]
fn a_cluster_store_that_does_not_admit_the_namespace_is_refused() {
    let object = external_secret(
        "secretStoreRef: {name: c, kind: ClusterSecretStore}
dataFrom: [{find: {name: {regexp: x}}}]",
    );
    let mut scene = Scene::of(object);
    let store = ready_cluster_store("c", "conditions: [{namespaces: [other]}]");
    scene.stores = lookup([StoreView::of(&store)]);

    assert_eq!(
        event(&scene),
        "error processing spec.dataFrom[0].find, err: using cluster store \"c\" is not allowed from \
         namespace \"ns\": denied by spec.condition"
    );
}

#[test]
fn a_store_of_another_class_leaves_the_object_alone_wherever_it_is_named() {
    let mut foreign = ready_store("theirs");
    foreign.spec.controller = Some("someone-else".to_owned());
    let mut scene = Scene::of(external_secret(
        "secretStoreRef: {name: c, kind: ClusterSecretStore}
data: [{secretKey: a, remoteRef: {key: k}, sourceRef: {storeRef: {name: theirs}}}]",
    ));
    scene.stores = lookup([
        StoreView::of(&foreign),
        StoreView::of(&ready_cluster_store("c", "")),
    ]);

    assert_eq!(decision(&scene), Decision::Ignore(Ignored::ForeignClass));
    assert!(!verdict(&scene).add_finalizer, "the fixture has it already");
}

#[test]
fn an_object_whose_default_is_a_cluster_store_is_left_alone_when_those_are_off() {
    let settings = Settings {
        cluster_stores: false,
        ..Settings::default()
    };
    let off = Scene::of(external_secret(
        "secretStoreRef: {name: c, kind: ClusterSecretStore}",
    ));
    let on = Scene::of(one_value(""));

    let decide = |scene: &Scene| scene.observe(|observed| decide(observed, &settings, noon()));

    assert_eq!(
        decide(&off).decision,
        Decision::Ignore(Ignored::ClusterStoresOff)
    );
    assert!(matches!(decide(&on).decision, Decision::Fetch(_)));
}

#[test]
fn other_kinds_of_targets_are_refused_with_the_flag_that_allows_them() {
    let scene = Scene::of(one_value(
        "target: {manifest: {apiVersion: v1, kind: ConfigMap}}",
    ));
    let allowing = Settings {
        generic_targets: true,
        ..Settings::default()
    };

    let Decision::Fail(refused) = decision(&scene) else {
        panic!()
    };
    let allowed = scene.observe(|observed| decide(observed, &allowing, noon()));

    assert_eq!(refused.constant_message(), "invalid generic target");
    assert_eq!(
        refused.event(),
        "generic targets are disabled. Enable with --unsafe-allow-generic-targets flag"
    );
    assert!(matches!(allowed.decision, Decision::Fetch(_)));
}

#[test]
fn an_interval_that_is_no_duration_fails_clearly() {
    let scene = Scene::of(one_value("refreshInterval: soon"));

    let Decision::Fail(failure) = decision(&scene) else {
        panic!()
    };

    assert_eq!(
        failure.condition_message(),
        "invalid refreshInterval: InvalidSpec: time: invalid duration \"soon\"; write \
         hours, minutes or seconds, for example 24h"
    );
}

#[test]
fn what_admission_refuses_is_refused_in_its_words() {
    let store = "secretStoreRef: {name: s}";
    let data = "data: [{secretKey: a, remoteRef: {key: k}}]";
    let cases = [
        (String::new(), "either data or dataFrom should be specified"),
        (
            "dataFrom: [{extract: {key: k}, find: {name: {regexp: x}}}]".to_owned(),
            "extract, find, or generatorRef cannot be set at the same time",
        ),
        (
            format!("{data}\ntarget: {{creationPolicy: None, deletionPolicy: Merge}}"),
            "deletionPolicy=Merge must not be used with creationPolicy=None. There is no Secret to \
             merge with",
        ),
        (
            "data: [{secretKey: a, remoteRef: {key: k}}, {secretKey: a, remoteRef: {key: l}}]"
                .to_owned(),
            "duplicate secretKey found: a",
        ),
    ];
    for (spec, text) in cases {
        let object = external_secret(&format!("{store}\n{spec}"));
        for scene in [Scene::of(object.clone()), Scene::of(synced(object))] {
            let Decision::Fail(failure) = decision(&scene) else {
                panic!("{spec}")
            };

            assert_eq!(failure.event(), text);
            assert_eq!(failure.condition_message(), format!("{text} (InvalidSpec)"));
        }
    }
}

#[test]
fn a_manifest_that_is_merged_into_may_have_the_deletion_policy_delete() {
    let manifest = "name: m, manifest: {apiVersion: v1, kind: ConfigMap}";
    let merged = one_value(&format!(
        "target: {{{manifest}, creationPolicy: Merge, deletionPolicy: Delete}}"
    ));
    let settings = Settings {
        generic_targets: true,
        ..Settings::default()
    };

    let verdict = Scene::of(merged).observe(|observed| decide(observed, &settings, noon()));

    assert!(matches!(verdict.decision, Decision::Fetch(_)));
}

#[test]
fn a_kind_that_is_no_store_is_named() {
    let scene = Scene::of(external_secret("secretStoreRef: {name: s, kind: Vault}"));

    assert_eq!(event(&scene), "unsupported secret store kind: Vault");
}

#[test]
fn a_synced_object_with_an_untouched_target_waits_for_its_interval() {
    let scene = Scene::of(synced(one_value(""))).with_target(&target());

    assert_eq!(
        decision(&scene),
        Decision::Idle {
            until: Some(at("2026-05-01T12:30:00Z")),
            awaits_target: false,
            status: None
        }
    );
}

#[test]
fn a_missing_or_edited_target_is_repaired_as_its_policy_says() {
    let mut edited = target();
    edited.data.as_mut().unwrap().clear();
    for (policy, repairs) in [
        ("Owner", true),
        ("CreateOrMerge", true),
        ("Merge", true),
        ("Orphan", false),
        ("None", false),
    ] {
        for refresh in [
            "refreshInterval: 1h",
            "refreshInterval: '0'",
            "refreshPolicy: CreatedOnce",
        ] {
            let spec = format!("{refresh}\ntarget: {{creationPolicy: {policy}}}");
            let missing = Scene::of(synced(one_value(&spec)));
            let touched = Scene::of(synced(one_value(&spec))).with_target(&edited);
            let whole = Scene::of(synced(one_value(&spec))).with_target(&target());

            assert_eq!(!is_idle(&missing), repairs, "missing, {spec}");
            assert_eq!(!is_idle(&touched), repairs, "edited, {spec}");
            assert!(is_idle(&whole), "{spec}");
        }
    }
}

#[test]
fn a_target_that_is_missing_for_a_known_reason_starts_no_fetch() {
    let missing = "secret will not be created due to CreationPolicy=Merge";
    let retained = "secret retained due to DeletionPolicy=Retain";
    let deleted = "secret deleted due to DeletionPolicy=Delete";
    for (spec, reason, message, awaited) in [
        (
            "target: {creationPolicy: Merge}",
            "SecretMissing",
            missing,
            true,
        ),
        ("", "SecretSynced", retained, false),
        (
            "target: {deletionPolicy: Delete}",
            "SecretDeleted",
            deleted,
            false,
        ),
    ] {
        let scene = Scene::of(ended(one_value(spec), reason, message));

        let Decision::Idle { awaits_target, .. } = decision(&scene) else {
            panic!("{spec}")
        };
        assert_eq!(awaits_target, awaited, "{spec}");
    }
}

#[test]
fn a_secret_to_merge_into_that_appears_starts_a_fetch() {
    let spec = "refreshInterval: '0'\ntarget: {creationPolicy: Merge}";
    let message = "secret will not be created due to CreationPolicy=Merge";
    let scene = Scene::of(ended(one_value(spec), "SecretMissing", message));

    let verdict = scene.observe(|observed| {
        let seen = Observed {
            target: ObservedTarget::Unlabelled,
            ..observed.clone()
        };
        decide(&seen, &Settings::default(), noon())
    });

    assert!(matches!(verdict.decision, Decision::Fetch(_)));
}

#[test]
fn a_new_generation_that_asks_for_nothing_is_noted() {
    let mut object = synced(one_value("refreshPolicy: CreatedOnce"));
    object.metadata.generation = Some(2);
    let scene = Scene::of(object).with_target(&target());

    let Decision::Idle {
        status: Some(status),
        until: None,
        ..
    } = decision(&scene)
    else {
        panic!("{:?}", decision(&scene))
    };

    assert_eq!(status.observed_generation, Some(2));
}

#[test]
fn a_generation_no_one_noted_is_not_noted_now() {
    let mut object = synced(one_value("refreshPolicy: CreatedOnce"));
    object.metadata.generation = Some(2);
    object.status.as_mut().unwrap().observed_generation = None;
    let scene = Scene::of(object).with_target(&target());

    assert!(matches!(
        decision(&scene),
        Decision::Idle { status: None, .. }
    ));
}

fn deleting(spec: &str) -> ExternalSecret {
    let mut object = one_value(spec);
    object.metadata.deletion_timestamp = Some(seconds(noon()));
    object
}

#[test]
fn deletion_removes_only_a_target_this_very_object_controls() {
    let mut others = target();
    others.metadata.owner_references.as_mut().unwrap()[0].uid = "another".to_owned();
    let mut unowned = target();
    unowned.metadata.owner_references = None;
    for (spec, secret, deletes) in [
        ("target: {deletionPolicy: Delete}", Some(target()), true),
        ("target: {deletionPolicy: Delete}", Some(others), false),
        ("target: {deletionPolicy: Delete}", Some(unowned), false),
        ("target: {deletionPolicy: Delete}", None, false),
        ("target: {deletionPolicy: Retain}", Some(target()), false),
        ("target: {deletionPolicy: Merge}", Some(target()), false),
        ("", Some(target()), false),
    ] {
        let mut scene = Scene::of(deleting(spec));
        if let Some(secret) = &secret {
            scene = scene.with_target(secret);
        }

        let Decision::Release(plan) = decision(&scene) else {
            panic!("{spec}")
        };

        let deleted: Vec<&str> = plan
            .delete
            .iter()
            .map(|delete| delete.uid.as_str())
            .collect();
        assert_eq!(
            deleted,
            if deletes { vec!["target-uid"] } else { vec![] },
            "{spec}"
        );
    }
    assert!(!UID.is_empty());
}

#[test]
fn a_foreign_object_is_let_go_without_a_clean_up() {
    let mut foreign = ready_store("s");
    foreign.spec.controller = Some("someone-else".to_owned());
    let mut scene = Scene::of(deleting("target: {deletionPolicy: Delete}")).with_target(&target());
    scene.stores = lookup([StoreView::of(&foreign)]);

    assert_eq!(decision(&scene), Decision::Release(ReleasePlan::default()));
}

#[test]
fn a_deleting_object_that_does_not_wait_for_us_is_ignored() {
    let mut object = deleting("");
    object.metadata.finalizers = None;

    let verdict = verdict(&Scene::of(object));

    assert_eq!(verdict.decision, Decision::Ignore(Ignored::Released));
    assert!(!verdict.add_finalizer);
}

#[test]
fn template_sources_are_listed_in_order_and_once() {
    let object = one_value(
        "target: {template: {templateFrom: [
  {configMap: {name: c, items: [{key: x}]}, secret: {name: s, items: [{key: x}]}},
  {configMap: {name: c, items: [{key: y}]}},
  {literal: z}]}}",
    );

    let names: Vec<(SourceKind, String)> = template_sources(&object)
        .into_iter()
        .map(|key| (key.kind, key.name))
        .collect();

    assert_eq!(
        names,
        [
            (SourceKind::ConfigMap, "c".to_owned()),
            (SourceKind::Secret, "s".to_owned())
        ]
    );
}

#[test]
fn the_synced_version_is_that_of_upstream() {
    let object = one_value("");

    assert_eq!(
        synced_resource_version(&object),
        "1-f47fe3c0b255b6dd8047cdffa772587bb829efe7a1cb70febeda2eb2"
    );
}

#[test]
fn the_owner_label_is_that_of_upstream() {
    let mut object = one_value("");
    object.metadata.namespace = Some("default".to_owned());
    object.metadata.name = Some("my-es".to_owned());

    assert_eq!(
        created_by(&object),
        "b8464376b5fe3535e690594280bfe59b60be2603cb6cbb6d6c8bcbb4"
    );
}

#[test]
fn a_failed_object_is_tried_again_before_its_next_refresh_unless_a_window_is_closed() {
    for (spec, fetches) in [
        ("refreshPolicy: CreatedOnce", true),
        ("refreshPolicy: OnChange", true),
        ("refreshInterval: '0'", true),
        ("refreshInterval: 1h", true),
        (
            "syncWindows: {kind: deny, windows: [{schedule: 0 11 * * *, duration: 2h}]}",
            false,
        ),
    ] {
        let mut object = synced(one_value(spec));
        let conditions = &mut object.status.as_mut().unwrap().conditions;
        crate::conditions::set(conditions, ready(false, "SecretSyncedError", "x"), noon());
        let scene = Scene::of(object).with_target(&target());

        assert_eq!(!is_idle(&scene), fetches, "{spec}");
    }
}

#[test]
fn an_idle_object_notes_a_refresh_that_shared_reads_made_when_a_note_is_due() {
    let mut object = synced(one_value("refreshInterval: 10m"));
    let status = object.status.as_mut().unwrap();
    status.refresh_time = Some(seconds(at("2026-05-01T11:30:00Z")));
    let refreshed = at("2026-05-01T11:59:00Z");
    let scene = Scene::of(object).with_target(&target());

    let noted = scene.observe(|observed| {
        let observed = Observed {
            last_refresh: Some(refreshed),
            ..observed.clone()
        };
        decide(&observed, &Settings::default(), noon()).decision
    });

    let Decision::Idle {
        status: Some(status),
        ..
    } = noted
    else {
        panic!("{noted:?}")
    };
    assert_eq!(status.refresh_time, Some(seconds(refreshed)));
}

#[test]
fn more_windows_than_are_looked_at_are_refused() {
    let window = "{schedule: '0 0 * * *', duration: 1h}";
    let windows = vec![window; 129].join(", ");
    let object = one_value(&format!(
        "syncWindows: {{kind: allow, windows: [{windows}]}}"
    ));

    let failure = match decision(&Scene::of(object)) {
        Decision::Fail(failure) => failure,
        other => panic!("{other:?}"),
    };

    assert!(
        failure
            .condition_message()
            .contains("has 129 windows and may have 128")
    );
}
