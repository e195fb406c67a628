use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Secret;
use lockstep_api::keys;

use super::*;
use crate::testing::{map, secret, text};

const MANAGER: &str = "externalsecrets.external-secrets.io/es";
/// Hash of `{"a": "v"}`, as recorded from upstream.
const HASH_A_V: &str = "9c0bfff0356efd80611a1ec73594c79465a0378528c732092a39b27c";
/// Owner label of `ns/es`.
fn owner_label() -> String {
    owner_hash("ns", "es")
}

fn wanted(write: Write) -> Desired {
    Desired {
        namespace: "ns".to_owned(),
        name: "t".to_owned(),
        manager: MANAGER.to_owned(),
        write,
        owner_name: "es".to_owned(),
        owner_uid: "es-uid".to_owned(),
        immutable: false,
        secret_type: None,
        labels: BTreeMap::new(),
        annotations: BTreeMap::new(),
        finalizers: Vec::new(),
        data: map([("a", "v")]),
    }
}

fn replaced(desired: &Desired, live: &Secret) -> Secret {
    match mutate(desired, Some(live)).unwrap() {
        Mutation::Replace(secret) => *secret,
        other => panic!("{other:?}"),
    }
}

fn created(desired: &Desired) -> Secret {
    match mutate(desired, None).unwrap() {
        Mutation::Create(secret) => *secret,
        other => panic!("{other:?}"),
    }
}

fn foreign() -> Secret {
    secret(
        "metadata: {name: t, namespace: ns, uid: u, resourceVersion: '5', \
         labels: {own: '1'}, annotations: {n: '1'}}\nstringData: {x: '1'}\ntype: Opaque",
    )
}

fn label<'a>(secret: &'a Secret, key: &str) -> Option<&'a str> {
    secret
        .metadata
        .labels
        .as_ref()?
        .get(key)
        .map(String::as_str)
}

fn annotation<'a>(secret: &'a Secret, key: &str) -> Option<&'a str> {
    secret
        .metadata
        .annotations
        .as_ref()?
        .get(key)
        .map(String::as_str)
}

fn owners(secret: &Secret) -> Vec<(&str, &str, &str)> {
    let references = secret.metadata.owner_references.iter().flatten();
    references
        .map(|held| (held.kind.as_str(), held.name.as_str(), held.uid.as_str()))
        .collect()
}

fn keys_of(secret: &Secret) -> Vec<&str> {
    secret
        .data
        .iter()
        .flatten()
        .map(|(key, _)| key.as_str())
        .collect()
}

#[test]
fn a_new_secret_carries_label_hash_and_owner_as_its_policy_says() {
    for (write, owned) in [
        (Write::Own, true),
        (Write::Replace, false),
        (Write::CreateOrMerge, false),
    ] {
        let secret = created(&wanted(write));

        assert_eq!(
            label(&secret, keys::LABEL_MANAGED),
            Some("true"),
            "{write:?}"
        );
        assert_eq!(
            annotation(&secret, keys::ANNOTATION_DATA_HASH),
            Some(HASH_A_V)
        );
        assert_eq!(label(&secret, keys::LABEL_OWNER).is_some(), owned);
        assert_eq!(owners(&secret).len(), usize::from(owned));
        assert_eq!(text(&secret, "a"), Some("v"));
    }
}

#[test]
fn the_owner_reference_is_that_of_a_controller() {
    let secret = created(&wanted(Write::Own));

    let reference = &secret.metadata.owner_references.unwrap()[0];
    assert_eq!(reference.api_version, "external-secrets.io/v1");
    assert_eq!(
        (reference.controller, reference.block_owner_deletion),
        (Some(true), Some(true))
    );
}

#[test]
fn merging_makes_no_secret() {
    assert_eq!(
        mutate(&wanted(Write::Merge), None).unwrap(),
        Mutation::Missing
    );
}

#[test]
fn an_unowned_secret_is_adopted_and_its_data_replaced_but_its_metadata_stays() {
    let secret = replaced(&wanted(Write::Own), &foreign());

    assert_eq!(keys_of(&secret), ["a"]);
    assert_eq!(label(&secret, "own"), Some("1"));
    assert_eq!(annotation(&secret, "n"), Some("1"));
    assert_eq!(owners(&secret), [("ExternalSecret", "es", "es-uid")]);
    assert_eq!(secret.metadata.resource_version.as_deref(), Some("5"));
}

#[test]
fn foreign_keys_stay_under_the_merging_policies_only() {
    for (write, keys) in [
        (Write::Own, vec!["a"]),
        (Write::Replace, vec!["a"]),
        (Write::CreateOrMerge, vec!["a", "x"]),
        (Write::Merge, vec!["a", "x"]),
    ] {
        assert_eq!(
            keys_of(&replaced(&wanted(write), &foreign())),
            keys,
            "{write:?}"
        );
    }
}

#[test]
fn keys_labels_and_annotations_we_wrote_earlier_are_taken_back() {
    let live = secret(
        "metadata:
  name: t
  namespace: ns
  labels: {old: '1', own: '1', reconcile.external-secrets.io/managed: 'true'}
  annotations: {old: '1', own: '1'}
  managedFields:
  - manager: externalsecrets.external-secrets.io/es
    operation: Update
    fieldsV1:
      f:data: {'.': {}, f:old: {}}
      f:metadata:
        f:labels: {f:old: {}, f:reconcile.external-secrets.io/managed: {}}
        f:annotations: {f:old: {}}
  - manager: kubectl
    operation: Update
    fieldsV1: {f:data: {f:x: {}}}
stringData: {old: o, x: '1'}",
    );

    let secret = replaced(&wanted(Write::Merge), &live);

    assert_eq!(keys_of(&secret), ["a", "x"]);
    assert_eq!(label(&secret, "old"), None);
    assert_eq!(label(&secret, "own"), Some("1"));
    assert_eq!(label(&secret, keys::LABEL_MANAGED), Some("true"));
    assert_eq!(annotation(&secret, "old"), None);
    assert_eq!(annotation(&secret, "own"), Some("1"));
}

#[test]
fn a_long_name_finds_its_own_fields_again() {
    let name = "a-name-that-is-longer-than-twenty-seven";
    let manager = keys::target_field_manager(name);
    let live = secret(&format!(
        "metadata: {{name: t, labels: {{team: y}}, managedFields: [{{manager: '{manager}', \
         fieldsV1: {{f:metadata: {{f:labels: {{f:team: {{}}}}}}}}}}]}}"
    ));
    let desired = Desired {
        manager,
        owner_name: name.to_owned(),
        ..wanted(Write::Own)
    };

    assert_eq!(label(&replaced(&desired, &live), "team"), None);
}

#[test]
fn another_external_secrets_target_is_refused_under_every_policy() {
    let mut live = created(&wanted(Write::Own));
    live.metadata.owner_references.as_mut().unwrap()[0].name = "one".to_owned();
    for write in [
        Write::Own,
        Write::Replace,
        Write::CreateOrMerge,
        Write::Merge,
    ] {
        let failure = mutate(&wanted(write), Some(&live)).unwrap_err();

        assert_eq!(
            failure.constant_message(),
            "target is owned by another ExternalSecret"
        );
        assert_eq!(
            failure.event(),
            "unable to mutate secret t: secret is owned by another ExternalSecret: one"
        );
        assert!(failure.touched_target());
    }
}

fn controlled_by_config_map() -> Secret {
    secret(
        "metadata: {name: t, namespace: ns, ownerReferences: [{apiVersion: v1, kind: ConfigMap, \
         name: boss, uid: b, controller: true}]}\nstringData: {x: '1'}",
    )
}

#[test]
fn a_foreign_controller_is_respected_by_owners_and_ignored_by_others() {
    let live = controlled_by_config_map();

    let failure = mutate(&wanted(Write::Own), Some(&live)).unwrap_err();

    assert_eq!(
        failure.constant_message(),
        "failed to take ownership of target secret"
    );
    assert_eq!(
        failure.event(),
        "unable to mutate secret t: could not set controller reference on secret: Object ns/t is \
         already owned by another ConfigMap controller boss"
    );
    assert_eq!(
        owners(&replaced(&wanted(Write::Merge), &live)),
        [("ConfigMap", "boss", "b")]
    );
}

#[test]
fn an_owner_that_is_no_controller_may_stay_beside_ours() {
    let mut live = controlled_by_config_map();
    live.metadata.owner_references.as_mut().unwrap()[0].controller = Some(false);

    let secret = replaced(&wanted(Write::Own), &live);

    assert_eq!(
        owners(&secret),
        [
            ("ConfigMap", "boss", "b"),
            ("ExternalSecret", "es", "es-uid")
        ]
    );
}

#[test]
fn a_reference_of_an_older_release_is_refreshed_in_place() {
    let mut live = created(&wanted(Write::Own));
    let reference = &mut live.metadata.owner_references.as_mut().unwrap()[0];
    reference.api_version = "external-secrets.io/v1beta1".to_owned();
    reference.uid = "older".to_owned();

    let secret = replaced(&wanted(Write::Own), &live);

    assert_eq!(secret, created(&wanted(Write::Own)));
}

#[test]
fn a_policy_that_no_longer_owns_lets_go() {
    let live = created(&wanted(Write::Own));
    assert_eq!(
        label(&live, keys::LABEL_OWNER),
        Some(owner_label().as_str())
    );

    let secret = replaced(&wanted(Write::Replace), &live);

    assert_eq!(owners(&secret), []);
    assert_eq!(label(&secret, keys::LABEL_OWNER), None);
}

#[test]
fn what_is_as_wished_is_not_written() {
    for write in [Write::Own, Write::Replace, Write::CreateOrMerge] {
        let live = created(&wanted(write));

        assert_eq!(
            mutate(&wanted(write), Some(&live)).unwrap(),
            Mutation::Unchanged,
            "{write:?}"
        );
    }
}

#[test]
fn absent_and_empty_parts_are_the_same() {
    let desired = Desired {
        data: map([]),
        ..wanted(Write::Replace)
    };
    let mut live = created(&desired);
    live.data = None;
    live.metadata.owner_references = None;

    assert_eq!(mutate(&desired, Some(&live)).unwrap(), Mutation::Unchanged);
}

#[test]
fn an_immutable_target_keeps_its_data_and_takes_metadata() {
    let desired = Desired {
        immutable: true,
        ..wanted(Write::Own)
    };
    let live = created(&desired);
    assert_eq!(live.immutable, Some(true));
    let later = Desired {
        data: map([("a", "new")]),
        ..desired.clone()
    };

    assert_eq!(mutate(&later, Some(&live)).unwrap(), Mutation::Unchanged);

    let orphaned = Desired {
        write: Write::Replace,
        ..later
    };
    let secret = replaced(&orphaned, &live);
    assert_eq!(text(&secret, "a"), Some("v"));
    assert_eq!(
        annotation(&secret, keys::ANNOTATION_DATA_HASH),
        Some(HASH_A_V)
    );
}

#[test]
fn an_immutable_secret_of_others_is_left_alone_entirely() {
    let mut live = foreign();
    live.immutable = Some(true);
    for immutable in [false, true] {
        let desired = Desired {
            immutable,
            ..wanted(Write::Own)
        };

        let failure = mutate(&desired, Some(&live)).unwrap_err();

        assert_eq!(
            failure.constant_message(),
            "could not update secret, target is immutable"
        );
        assert_eq!(
            failure.event(),
            "unable to update secret t: secret is immutable"
        );
        assert!(failure.touched_target());
    }
}

#[test]
fn an_immutable_secret_that_holds_what_is_wanted_is_adopted() {
    let mut live = foreign();
    live.immutable = Some(true);
    live.data = created(&wanted(Write::Own)).data;

    let secret = replaced(&wanted(Write::Own), &live);

    assert_eq!(owners(&secret), [("ExternalSecret", "es", "es-uid")]);
}

#[test]
fn the_type_changes_only_where_one_is_named() {
    let named = Desired {
        secret_type: Some("kubernetes.io/tls".to_owned()),
        ..wanted(Write::Own)
    };

    assert_eq!(
        replaced(&wanted(Write::Own), &foreign()).type_.as_deref(),
        Some("Opaque")
    );
    assert_eq!(
        replaced(&named, &foreign()).type_.as_deref(),
        Some("kubernetes.io/tls")
    );
}

#[test]
fn finalizers_are_added_once_and_not_while_the_secret_goes() {
    let desired = Desired {
        finalizers: vec!["x/y".to_owned()],
        ..wanted(Write::Own)
    };
    let live = created(&desired);
    assert_eq!(
        live.metadata.finalizers.as_deref(),
        Some(&["x/y".to_owned()][..])
    );
    assert_eq!(mutate(&desired, Some(&live)).unwrap(), Mutation::Unchanged);

    let mut going = foreign();
    going.metadata.deletion_timestamp = Some(crate::conditions::seconds(crate::testing::noon()));

    assert_eq!(replaced(&desired, &going).metadata.finalizers, None);
}

#[test]
fn debug_of_a_mutation_shows_no_value() {
    let mutation = mutate(&wanted(Write::Own), None).unwrap();

    assert_eq!(format!("{mutation:?}"), "Create(***)");
}

mod rows {
    use super::*;

    fn row(secret: &Secret) -> TargetRow {
        TargetRow::of(secret, &Salt::default())
    }

    /// The row agrees with what writing would do.
    fn agrees(desired: &Desired, live: &Secret) -> bool {
        let in_sync = row(live).is_in_sync(desired, &Salt::default());
        let unchanged = matches!(mutate(desired, Some(live)), Ok(Mutation::Unchanged));
        assert_eq!(in_sync, unchanged, "{desired:?}");
        in_sync
    }

    fn decorated(write: Write) -> Desired {
        Desired {
            labels: [("app".to_owned(), "x".to_owned())].into(),
            annotations: [("note".to_owned(), "y".to_owned())].into(),
            finalizers: vec!["x/y".to_owned()],
            secret_type: Some("Opaque".to_owned()),
            ..wanted(write)
        }
    }

    const WRITES: [Write; 4] = [
        Write::Own,
        Write::Replace,
        Write::CreateOrMerge,
        Write::Merge,
    ];

    fn live(desired: &Desired) -> Secret {
        let creating = match desired.write {
            Write::Merge => Write::CreateOrMerge,
            other => other,
        };
        created(&Desired {
            write: creating,
            ..desired.clone()
        })
    }

    #[test]
    fn a_secret_as_written_is_in_sync_under_every_policy() {
        for write in WRITES {
            let desired = decorated(write);

            assert!(agrees(&desired, &live(&desired)), "{write:?}");
        }
    }

    #[test]
    fn every_difference_that_writing_would_mend_is_seen() {
        type Edit = fn(&mut Secret);
        let edits: [(&str, Edit); 11] = [
            ("value", |secret| {
                let data = secret.data.as_mut().unwrap();
                data.insert("a".to_owned(), k8s_openapi::ByteString(b"other".to_vec()));
            }),
            ("key gone", |secret| {
                secret.data.as_mut().unwrap().clear();
            }),
            ("label", |secret| {
                secret.metadata.labels.as_mut().unwrap().remove("app");
            }),
            ("label value", |secret| {
                let labels = secret.metadata.labels.as_mut().unwrap();
                labels.insert("app".to_owned(), "z".to_owned());
            }),
            ("managed label", |secret| {
                secret
                    .metadata
                    .labels
                    .as_mut()
                    .unwrap()
                    .remove(keys::LABEL_MANAGED);
            }),
            ("annotation", |secret| {
                secret.metadata.annotations.as_mut().unwrap().remove("note");
            }),
            ("hash", |secret| {
                secret
                    .metadata
                    .annotations
                    .as_mut()
                    .unwrap()
                    .remove(keys::ANNOTATION_DATA_HASH);
            }),
            ("finalizer", |secret| secret.metadata.finalizers = None),
            ("type", |secret| secret.type_ = Some("other".to_owned())),
            ("owner", |secret| {
                secret.metadata.owner_references =
                    Some(vec![super::super::owner::controller_reference(
                        "other", "other",
                    )]);
            }),
            ("owner label", |secret| {
                let labels = secret.metadata.labels.as_mut().unwrap();
                labels.insert(keys::LABEL_OWNER.to_owned(), "other".to_owned());
            }),
        ];
        for write in WRITES {
            let desired = decorated(write);
            for (what, edit) in &edits {
                let mut secret = live(&desired);
                edit(&mut secret);

                assert!(!agrees(&desired, &secret), "{what} under {write:?}");
            }
        }
    }

    #[test]
    fn a_foreign_key_matters_only_where_the_secret_holds_nothing_else() {
        for (write, in_sync) in [
            (Write::Own, false),
            (Write::Replace, false),
            (Write::CreateOrMerge, true),
            (Write::Merge, true),
        ] {
            let desired = decorated(write);
            let mut secret = live(&desired);
            let data = secret.data.as_mut().unwrap();
            data.insert("x".to_owned(), k8s_openapi::ByteString(b"1".to_vec()));
            // Another ExternalSecret that merges into it has written the hash of the whole.
            let hash = lockstep_golang::fmt::data_hash(
                data.iter()
                    .map(|(key, value)| (key.as_str(), value.0.as_slice())),
            );
            let annotations = secret.metadata.annotations.as_mut().unwrap();
            annotations.insert(keys::ANNOTATION_DATA_HASH.to_owned(), hash);

            assert_eq!(agrees(&desired, &secret), in_sync, "{write:?}");
        }
    }

    #[test]
    fn a_key_we_own_and_no_longer_want_is_seen() {
        for write in WRITES {
            let desired = decorated(write);
            let mut secret = live(&desired);
            let labels = secret.metadata.labels.as_mut().unwrap();
            labels.insert("old".to_owned(), "1".to_owned());
            assert!(
                agrees(&desired, &secret),
                "a label of others under {write:?}"
            );

            secret.metadata.managed_fields = self::managed("f:labels", "old");

            assert!(!agrees(&desired, &secret), "our label under {write:?}");
        }
    }

    fn managed(
        section: &str,
        key: &str,
    ) -> Option<Vec<k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry>> {
        let secret = secret(&format!(
            "metadata: {{managedFields: [{{manager: '{MANAGER}', \
             fieldsV1: {{f:metadata: {{{section}: {{'f:{key}': {{}}}}}}}}}}]}}"
        ));
        secret.metadata.managed_fields
    }

    #[test]
    fn an_immutable_target_is_in_sync_whatever_the_provider_has() {
        let desired = Desired {
            immutable: true,
            ..decorated(Write::Own)
        };
        let secret = live(&desired);
        let later = Desired {
            data: map([("a", "new")]),
            ..desired
        };

        assert!(agrees(&later, &secret));
    }

    #[test]
    fn a_row_keeps_no_value() {
        let desired = Desired {
            data: map([("a", "hunter2-canary")]),
            ..wanted(Write::Own)
        };

        assert!(!format!("{:?}", row(&created(&desired))).contains("hunter2"));
    }

    #[test]
    fn a_deletion_names_exactly_the_version_seen() {
        let delete = row(&foreign()).deletion();

        assert_eq!(
            (delete.uid.as_str(), delete.resource_version.as_str()),
            ("u", "5")
        );
    }
}
