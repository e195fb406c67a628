//! What is written for which policy, and what is left alone.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Secret;
use lockstep_api::ExternalSecret;
use lockstep_provider_api::{Error, ErrorKind, SecretMap, SecretValue};

use crate::conditions::ready;
use crate::external_secret::*;
use crate::failure::Failure;
use crate::settings::{CopiedMetadata, Settings};
use crate::store::StoreKey;
use crate::target::{Salt, TargetRow, Write};
use crate::testing::{Scene, budget, map, noon, one_value, secret, work};

type Writes = (TargetPlan, Vec<TargetDelete>);

fn planned(scene: &Scene, data: SecretMap) -> Result<Writes, Failure> {
    scene.observe(|observed| writes(observed, data, work(&Settings::default(), &budget())))
}

fn target_plan(scene: &Scene, data: SecretMap) -> TargetPlan {
    planned(scene, data).unwrap().0
}

/// The Secret that a scene without a target creates.
fn created(object: ExternalSecret) -> Secret {
    match target_plan(&Scene::of(object), map([("a", "v")])) {
        TargetPlan::Create(desired) => match mutate(&desired, None).unwrap() {
            Mutation::Create(secret) => *secret,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// An existing Secret `es`, managed, with the given uid of its controller.
fn existing(controller: Option<&str>) -> Secret {
    let owner = controller.map_or(String::new(), |uid| {
        format!(
            "ownerReferences: [{{apiVersion: external-secrets.io/v1, kind: ExternalSecret, \
             name: es, uid: {uid}, controller: true}}]"
        )
    });
    secret(&format!(
        "metadata: {{name: es, uid: t, resourceVersion: '4', {owner}}}\nstringData: {{x: '1'}}"
    ))
}

fn policy(creation: &str, deletion: &str) -> ExternalSecret {
    one_value(&format!(
        "target: {{creationPolicy: {creation}, deletionPolicy: {deletion}}}"
    ))
}

#[test]
fn each_creation_policy_handles_a_missing_target() {
    for (creation, wanted) in [
        ("Owner", Some(Write::Own)),
        ("Orphan", Some(Write::Replace)),
        ("CreateOrMerge", Some(Write::CreateOrMerge)),
        ("Merge", None),
        ("None", None),
    ] {
        let plan = target_plan(&Scene::of(policy(creation, "Retain")), map([("a", "v")]));

        match (creation, plan) {
            (_, TargetPlan::Create(desired)) => assert_eq!(Some(desired.write), wanted),
            ("Merge", TargetPlan::Look(desired)) => {
                assert_eq!(mutate(&desired, None).unwrap(), Mutation::Missing);
            }
            ("None", TargetPlan::Keep(Kept::NotWanted)) => {}
            (_, other) => panic!("{creation}: {other:?}"),
        }
    }
}

#[test]
fn each_creation_policy_looks_at_an_existing_target() {
    for creation in ["Owner", "Orphan", "CreateOrMerge", "Merge"] {
        let scene = Scene::of(policy(creation, "Retain")).with_target(&existing(None));

        assert!(
            matches!(target_plan(&scene, map([("a", "v")])), TargetPlan::Look(_)),
            "{creation}"
        );
    }
    let scene = Scene::of(policy("None", "Retain")).with_target(&existing(None));
    assert_eq!(
        target_plan(&scene, map([("a", "v")])),
        TargetPlan::Keep(Kept::NotWanted)
    );
}

#[test]
fn a_target_as_it_was_written_needs_no_look() {
    for creation in ["Owner", "Orphan", "CreateOrMerge"] {
        let live = created(policy(creation, "Retain"));
        let scene = Scene::of(policy(creation, "Retain")).with_target(&live);

        assert_eq!(
            target_plan(&scene, map([("a", "v")])),
            TargetPlan::InSync,
            "{creation}"
        );
        assert!(matches!(
            target_plan(&scene, map([("a", "w")])),
            TargetPlan::Look(_)
        ));
    }
}

#[test]
fn no_data_is_handled_by_the_deletion_policy() {
    let none = || map([]);
    let ours = existing(Some("es-uid"));
    for creation in ["Owner", "Orphan", "CreateOrMerge", "Merge", "None"] {
        let retain = Scene::of(policy(creation, "Retain")).with_target(&ours);
        assert_eq!(
            target_plan(&retain, none()),
            TargetPlan::Keep(Kept::Retained),
            "{creation}"
        );

        let delete = Scene::of(policy(creation, "Delete")).with_target(&ours);
        match planned(&delete, none()) {
            Ok((target, _)) => {
                let TargetPlan::Delete(delete) = target else {
                    panic!("{target:?}")
                };
                assert_eq!(creation, "Owner");
                assert_eq!(
                    (delete.uid.as_str(), delete.resource_version.as_str()),
                    ("t", "4")
                );
            }
            Err(failure) => {
                assert_ne!(creation, "Owner");
                assert_eq!(failure.constant_message(), "could not delete secret");
                assert_eq!(
                    failure.event(),
                    format!("unable to delete secret es: creationPolicy={creation} is not Owner")
                );
            }
        }

        let merge = Scene::of(policy(creation, "Merge")).with_target(&ours);
        match target_plan(&merge, none()) {
            TargetPlan::Look(desired) => assert!(desired.data.is_empty()),
            TargetPlan::Keep(Kept::NotWanted) => assert_eq!(creation, "None"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_secret_of_others_is_not_deleted_for_lack_of_data() {
    let object = policy("Owner", "Delete");
    for live in [existing(None), existing(Some("another"))] {
        let scene = Scene::of(object.clone()).with_target(&live);
        assert_eq!(
            target_plan(&scene, map([])),
            TargetPlan::LookToDelete("es".to_owned()),
            "the row may be old"
        );

        let failure = confirm_deletion(&object, Some(&live), &Settings::default()).unwrap_err();

        assert_eq!(failure.constant_message(), "could not delete secret");
        assert_eq!(
            failure.event(),
            "unable to delete secret es: it is not controlled by this ExternalSecret and stays"
        );
    }
}

#[test]
fn a_look_confirms_the_deletion_of_what_is_ours_and_of_nothing() {
    let object = policy("Owner", "Delete");
    assert_eq!(
        target_plan(&Scene::of(object.clone()), map([])),
        TargetPlan::LookToDelete("es".to_owned())
    );
    let confirm = |live: Option<&Secret>| confirm_deletion(&object, live, &Settings::default());

    assert_eq!(confirm(None).unwrap(), None);
    assert_eq!(
        confirm(Some(&existing(Some("es-uid"))))
            .unwrap()
            .unwrap()
            .uid,
        "t"
    );
}

#[test]
fn a_target_that_is_known_to_be_deleted_is_not_looked_for_again() {
    let mut object = policy("Owner", "Delete");
    let status = object.status.get_or_insert_default();
    crate::conditions::set(
        &mut status.conditions,
        ready(true, "SecretDeleted", "x"),
        noon(),
    );

    assert_eq!(target_plan(&Scene::of(object), map([])), TargetPlan::Gone);
}

/// A former target: `name`, made by `es`, controlled by `uid`.
fn former(name: &str, label: &str, uid: &str) -> TargetRow {
    let secret = secret(&format!(
        "metadata: {{name: {name}, uid: u-{name}, resourceVersion: '1', \
         labels: {{reconcile.external-secrets.io/created-by: '{label}'}}, \
         ownerReferences: [{{apiVersion: external-secrets.io/v1, kind: ExternalSecret, name: es, \
         uid: {uid}, controller: true}}]}}"
    ));
    TargetRow::of(&secret, &Salt::default())
}

#[test]
fn former_targets_are_deleted_if_label_and_owner_are_ours() {
    let object = one_value("target: {name: two}");
    let mark = created_by(&object);
    let mut copy = former("copy", &mark, "es-uid");
    copy.controller = None;
    let mut scene = Scene::of(object);
    scene.former = vec![
        former("one", &mark, "es-uid"),
        former("two", &mark, "es-uid"),
        former("other-label", "x", "es-uid"),
        former("other-owner", &mark, "another"),
        copy,
    ];

    let names = |scene: &Scene| -> Vec<String> {
        let orphans = planned(scene, map([("a", "v")])).unwrap().1;
        orphans.into_iter().map(|delete| delete.name).collect()
    };
    assert_eq!(names(&scene), ["one"]);

    scene.object = one_value("target: {name: two, creationPolicy: Orphan}");
    assert_eq!(names(&scene), Vec::<String>::new());
}

fn with_metadata(spec: &str) -> ExternalSecret {
    let mut object = one_value(spec);
    object.metadata.labels = Some([("app".to_owned(), "x".to_owned())].into());
    object.metadata.annotations = Some(
        [
            ("note".to_owned(), "y".to_owned()),
            ("argocd.argoproj.io/tracking-id".to_owned(), "z".to_owned()),
        ]
        .into(),
    );
    object
}

fn keys(map: Option<&BTreeMap<String, String>>) -> Vec<&str> {
    map.into_iter()
        .flatten()
        .map(|(key, _)| key.as_str())
        .collect()
}

#[test]
fn without_a_template_all_metadata_is_copied() {
    let secret = created(with_metadata(""));

    assert_eq!(
        keys(secret.metadata.labels.as_ref()),
        [
            "app",
            "reconcile.external-secrets.io/created-by",
            "reconcile.external-secrets.io/managed"
        ]
    );
    assert_eq!(
        keys(secret.metadata.annotations.as_ref()),
        [
            "argocd.argoproj.io/tracking-id",
            "note",
            "reconcile.external-secrets.io/data-hash"
        ]
    );
}

#[test]
fn bookkeeping_is_left_out_on_request() {
    let settings = Settings {
        copied_metadata: CopiedMetadata::WithoutBookkeeping,
        ..Settings::default()
    };
    let scene = Scene::of(with_metadata(""));

    let data = map([("a", "v")]);
    let planned = scene.observe(|observed| writes(observed, data, work(&settings, &budget())));

    let (TargetPlan::Create(desired), _) = planned.unwrap() else {
        panic!()
    };
    assert_eq!(keys(Some(&desired.annotations)), ["note"]);
}

#[test]
fn an_empty_template_passes_the_data_and_copies_no_metadata() {
    let secret = created(with_metadata("target: {template: {}}"));

    assert_eq!(secret.data.as_ref().unwrap().len(), 1);
    assert!(!keys(secret.metadata.labels.as_ref()).contains(&"app"));
}

#[test]
fn a_template_sets_type_metadata_and_finalizers() {
    let secret = created(one_value(
        "target: {template: {type: kubernetes.io/tls, metadata: {labels: {l: '1'}, \
         annotations: {m: '2'}, finalizers: [x/y]}}}",
    ));

    assert_eq!(secret.type_.as_deref(), Some("kubernetes.io/tls"));
    assert_eq!(secret.metadata.labels.as_ref().unwrap()["l"], "1");
    assert_eq!(secret.metadata.annotations.as_ref().unwrap()["m"], "2");
    assert_eq!(secret.metadata.finalizers, Some(vec!["x/y".to_owned()]));
}

#[test]
fn fetched_data_stays_beside_templated_data_only_on_request() {
    for (policy, wanted) in [("Replace", vec!["b"]), ("Merge", vec!["a", "b"])] {
        let secret = created(one_value(&format!(
            "target: {{template: {{mergePolicy: {policy}, data: {{b: text}}}}}}"
        )));

        let keys: Vec<&String> = secret.data.as_ref().unwrap().keys().collect();
        assert_eq!(keys, wanted, "{policy}");
    }
}

#[test]
fn a_template_that_misses_a_key_is_told_which_there_are() {
    let object = one_value("target: {template: {data: {x: '{{ .pasword }}'}}}");

    let failure = planned(&Scene::of(object), map([("password", "v"), ("user", "u")]));

    let message = failure.unwrap_err().condition_message();
    assert!(
        message.ends_with("map has no entry for key \"pasword\"; the keys are password, user"),
        "{message}"
    );
}

#[test]
fn a_template_for_cluster_credentials_is_refused_before_and_after_the_target_exists() {
    let object = one_value("target: {template: {type: bootstrap.kubernetes.io/token}}");
    let text =
        "could not apply template: template.type=\"bootstrap.kubernetes.io/token\" is not allowed";

    let fresh = planned(&Scene::of(object.clone()), map([("a", "v")])).unwrap_err();
    let present = Scene::of(object).with_target(&existing(Some("es-uid")));
    let present = planned(&present, map([("a", "v")])).unwrap_err();

    assert_eq!(fresh.constant_message(), "could not update secret");
    assert_eq!((fresh.event(), fresh.touched_target()), (text, false));
    assert_eq!(
        (present.event(), present.touched_target()),
        (format!("unable to mutate secret es: {text}").as_str(), true)
    );
}

#[test]
fn a_template_for_cluster_credentials_is_refused_although_nothing_is_written() {
    let template = "template: {type: bootstrap.kubernetes.io/token}";
    let unwanted = one_value(&format!("target: {{creationPolicy: None, {template}}}"));
    let retained = one_value(&format!("target: {{{template}}}"));

    for (object, data) in [(unwanted, map([("a", "v")])), (retained, map([]))] {
        let failure = planned(&Scene::of(object), data).unwrap_err();

        assert!(failure.event().ends_with("is not allowed"));
    }
}

#[test]
fn the_target_is_written_under_its_own_field_manager() {
    let TargetPlan::Create(desired) = target_plan(&Scene::of(one_value("")), map([("a", "v")]))
    else {
        panic!()
    };

    assert_eq!(desired.manager, "externalsecrets.external-secrets.io/es");
    assert_eq!(desired.name, "es");
}

#[test]
fn more_data_than_a_secret_holds_is_refused_before_it_is_sent() {
    let object = one_value("");
    let whole = "x".repeat(crate::MOST_SECRET_BYTES);

    let fits = planned(&Scene::of(object.clone()), map([("k", whole.as_str())]));
    let failed = planned(&Scene::of(object), map([("k", whole.as_str()), ("l", "y")]));

    assert!(fits.is_ok());
    let failure = failed.unwrap_err();
    assert_eq!(failure.cause(), "InvalidData");
}

/// What is absent when the one remote secret of a scene is there, or is not.
fn absence(scene: &Scene, answer: Result<Payload, Error>) -> Absence {
    let (settings, budget) = (Settings::default(), budget());
    scene.observe(|observed| {
        let Decision::Fetch(list) = decide(observed, &settings, noon()).decision else {
            panic!("nothing to fetch")
        };
        let planned = plan(observed, &list, &[answer], work(&settings, &budget));
        planned.unwrap().absence
    })
}

fn gone() -> Result<Payload, Error> {
    Err(Error::new(ErrorKind::NotFound, "no such secret"))
}

#[test]
fn a_plan_for_secrets_that_are_there_takes_nothing_away() {
    let scene = Scene::of(policy("Owner", "Delete")).with_target(&existing(Some("es-uid")));

    let absence = absence(&scene, Ok(Payload::Value(SecretValue::from("v"))));

    assert_eq!(absence, Absence::Nothing);
}

#[test]
fn a_plan_that_takes_data_away_names_the_stores_without_it() {
    for deletion in ["Delete", "Merge"] {
        let scene = Scene::of(policy("Owner", deletion)).with_target(&existing(Some("es-uid")));
        let store = StoreKey::namespaced("ns".to_owned(), "s".to_owned());

        assert_eq!(absence(&scene, gone()), Absence::Loss([store].into()));
    }
}

#[test]
fn a_secret_that_is_absent_takes_nothing_from_a_target_that_never_was() {
    for deletion in ["Delete", "Merge"] {
        let scene = Scene::of(policy("Owner", deletion));

        assert_eq!(absence(&scene, gone()), Absence::Known);
    }
}
