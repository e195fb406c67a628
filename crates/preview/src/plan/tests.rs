//! Plans against folders, from manifests to what is printed. Every value is a canary that no output may hold.

mod deletions;

use std::path::Path;

use lockstep_golang::fmt::object_hash_text;
use lockstep_provider_api::Variables;
use lockstep_runtime::connect::Proxy;
use lockstep_toolbox::cluster::ClusterFlags;
use lockstep_toolbox::exit::{self, Exit};
use lockstep_toolbox::output::{OutputFlags, Paint};

use super::*;
use crate::OperatorFlags;

const STORE: &str = "
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: store, namespace: team}
spec: {provider: {fake: {data: [{key: k, value: canary-1}, {key: j, value: canary-22}]}}}
";

const OBJECT: &str = "
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db, namespace: team}
spec:
  secretStoreRef: {name: store}
  data: [{secretKey: password, remoteRef: {key: k}}]
";

fn flags(given: &Path, against: &Path) -> PlanFlags {
    PlanFlags {
        filename: vec![given.display().to_string()],
        against: Some(against.to_owned()),
        prune: None,
        refresh: false,
        exit_code: false,
        operator: OperatorFlags {
            controller_class: "default".to_owned(),
            unsafe_allow_generic_targets: false,
        },
        cluster: ClusterFlags::default(),
        output: OutputFlags::default(),
    }
}

/// Plans `given` against `there`, with changes to the flags.
fn plan_with(given: &str, there: &str, change: impl Fn(&mut PlanFlags)) -> Result<Report> {
    assert!(
        lockstep_provider_registry::lookup("fake").is_ok(),
        "manifests of tests name it"
    );
    let (new, old) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(new.path().join("given.yaml"), given).unwrap();
    std::fs::write(old.path().join("there.yaml"), there).unwrap();
    let mut flags = flags(new.path(), old.path());
    change(&mut flags);
    let edges = Edges {
        proxy: Proxy::default(),
        variables: Variables::default(),
    };
    block_on(planned(&flags, edges, &Redactor::new([7; 16])))
}

fn plan(given: &str, there: &str) -> Report {
    plan_with(given, there, |_| {}).unwrap()
}

/// What is printed, searched for canaries.
fn printed(report: &Report) -> String {
    let text = text::print(report, Paint::OFF);
    let json = format!("{:#}", report.json());
    for output in [&text, &json] {
        assert!(!output.contains("canary"), "{output}");
        assert!(!output.contains("Y2FuYXJ5"), "{output}");
    }
    text
}

#[test]
fn a_new_object_creates_its_secret_with_its_cause() {
    let report = plan(&[STORE, OBJECT].join("---"), "");

    insta::assert_snapshot!(printed(&report));
    assert_eq!(report.exit(false), Exit::Fine);
    assert_eq!(report.exit(true), Exit::Findings);
}

#[test]
fn the_document_for_programs_is_stable() {
    let report = plan(&[STORE, OBJECT].join("---"), "");

    insta::assert_snapshot!(format!("{:#}", report.json()));
}

/// The Secret that `OBJECT` has, as the operator leaves it.
fn secret(value: &str, hash: &str) -> String {
    format!(
        "
apiVersion: v1
kind: Secret
metadata:
  name: db
  namespace: team
  labels: {{reconcile.external-secrets.io/managed: \"true\"}}
  annotations: {{reconcile.external-secrets.io/data-hash: {hash}}}
stringData: {{password: {value}}}
"
    )
}

#[test]
fn a_changed_value_of_a_store_changes_the_secret_of_objects_that_are_not_in_the_input() {
    let there = [STORE, OBJECT, &secret("canary-1", "x")].join("---");
    let given = STORE.replace("canary-1", "canary-333");

    let report = plan(&given, &there);

    let text = printed(&report);
    assert!(text.contains("~ change SecretStore team/store"), "{text}");
    assert!(
        text.contains("~ change Secret team/db by ExternalSecret team/db"),
        "{text}"
    );
    assert!(
        text.contains("cause: SecretStore team/store changes"),
        "{text}"
    );
    assert!(text.contains("~ data password: 8 bytes, sha256:"), "{text}");
}

#[test]
fn a_pruned_object_takes_the_secret_it_owns_with_it() {
    let label = "namespace: team, labels: {app: web}, uid: u, finalizers: \
                 [externalsecrets.external-secrets.io/externalsecret-cleanup]";
    let owned = format!(
        "
apiVersion: v1
kind: Secret
metadata:
  name: db
  namespace: team
  labels: {{reconcile.external-secrets.io/created-by: {}}}
  ownerReferences:
  - {{apiVersion: external-secrets.io/v1, kind: ExternalSecret, name: db, uid: u}}
stringData: {{password: canary-1}}
",
        object_hash_text("team/db")
    );
    let there = [STORE, &OBJECT.replace("namespace: team", label), &owned].join("---");

    let report = plan_with(STORE, &there, |flags| {
        flags.prune = Some("app=web".to_owned());
    })
    .unwrap();

    let text = printed(&report);
    assert!(text.contains("- delete ExternalSecret team/db"), "{text}");
    assert!(text.contains("it is not among the manifests"), "{text}");
    assert!(
        text.contains("- delete Secret team/db by ExternalSecret team/db"),
        "{text}"
    );
    assert!(
        text.contains("cause: ExternalSecret team/db is pruned"),
        "{text}"
    );
}

#[test]
fn a_generator_is_named_and_not_run() {
    let given = "
apiVersion: generators.external-secrets.io/v1alpha1
kind: Password
metadata: {name: pw, namespace: team}
spec: {length: 20}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: made, namespace: team}
spec:
  dataFrom: [{sourceRef: {generatorRef: {kind: Password, name: pw}}}]
";

    let report = plan(given, "");

    let text = printed(&report);
    assert!(
        text.contains("* would generate Password pw by ExternalSecret team/made"),
        "{text}"
    );
    assert!(text.contains("1 to generate"), "{text}");
    assert_eq!(report.exit(false), Exit::Fine);
}

#[test]
fn a_push_is_planned_and_not_made() {
    let push = "
apiVersion: external-secrets.io/v1alpha1
kind: PushSecret
metadata: {name: up, namespace: team}
spec:
  secretStoreRefs: [{name: store}]
  selector: {secret: {name: source}}
  data: [{match: {secretKey: a, remoteRef: {remoteKey: there/a}}}]
";
    let source = "
apiVersion: v1
kind: Secret
metadata: {name: source, namespace: team}
stringData: {a: canary-9}
";

    let report = plan(&[STORE, push].join("---"), source);

    let text = printed(&report);
    assert!(
        text.contains("> push SecretStore team/store key there/a by PushSecret team/up"),
        "{text}"
    );
    assert!(text.contains("value: 8 bytes, sha256:"), "{text}");
    assert!(text.contains("cause: PushSecret team/up is new"), "{text}");
}

#[test]
fn a_parent_is_planned_with_its_children_and_their_secrets() {
    let parent = "
apiVersion: external-secrets.io/v1
kind: ClusterExternalSecret
metadata: {name: all}
spec:
  namespaces: [team]
  externalSecretName: db
  externalSecretSpec:
    secretStoreRef: {name: store}
    data: [{secretKey: password, remoteRef: {key: k}}]
---
apiVersion: v1
kind: Namespace
metadata: {name: team}
";

    let report = plan(&[STORE, parent].join("---"), "");

    let text = printed(&report);
    assert!(text.contains("+ create ExternalSecret team/db"), "{text}");
    assert!(
        text.contains("+ create Secret team/db by ExternalSecret team/db"),
        "{text}"
    );
    assert!(
        text.contains("cause: ClusterExternalSecret all is new"),
        "{text}"
    );
}

#[test]
fn an_object_that_would_fail_is_a_finding() {
    let report = plan(
        &[STORE, &OBJECT.replace("key: k}", "key: nothing}")].join("---"),
        "",
    );

    let text = printed(&report);
    assert!(text.contains("! fail ExternalSecret team/db"), "{text}");
    assert_eq!(report.exit(false), Exit::Findings);
}

#[test]
fn a_broken_manifest_ends_the_plan_with_its_place_and_no_value() {
    let broken = OBJECT.replace("secretStoreRef", "secretStorRef: {name: canary-7}\n  other");

    let error = plan_with(&broken, "", |_| {}).err().unwrap();

    assert_eq!(exit::of(&error), Exit::Usage);
    let text = error.to_string();
    assert!(text.contains("given.yaml"), "{text}");
    assert!(text.contains("secretStorRef"), "{text}");
    assert!(!text.contains("canary"), "{text}");
}

#[test]
fn an_object_in_two_inputs_ends_the_plan_with_both_places() {
    let twice = tempfile::tempdir().unwrap();
    std::fs::write(twice.path().join("again.yaml"), OBJECT).unwrap();

    let error = plan_with(OBJECT, "", |flags| {
        flags.filename.push(twice.path().display().to_string());
    });

    let error = error.err().unwrap();
    assert_eq!(exit::of(&error), Exit::Usage);
    let text = error.to_string();
    assert!(
        text.ends_with(
            "again.yaml:2 (document 1): ExternalSecret team/db: the same object is also in \
             given.yaml:2 (document 1); keep one of them"
        ),
        "{text}"
    );
}

#[test]
fn an_object_without_a_name_of_its_own_cannot_be_applied() {
    let error = plan_with(&OBJECT.replace("name: db", "generateName: db-"), "", |_| {});

    let text = error.err().unwrap().to_string();
    assert!(
        text.contains("an object with generateName cannot be applied"),
        "{text}"
    );
}

#[test]
fn faults_of_syntax_have_their_line_and_promise_nothing() {
    let error = plan_with(&format!("{STORE}---\na: b: c\n"), "", |_| {});

    let text = error.err().unwrap().to_string();
    assert!(
        text.contains("given.yaml:7 (document 2): not valid YAML"),
        "{text}"
    );
    assert!(text.ends_with("fix this document"), "{text}");
}

#[test]
fn input_without_objects_of_the_operator_is_wrong_usage() {
    let error = plan_with(
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}}",
        "",
        |_| {},
    );

    assert_eq!(exit::of(&error.err().unwrap()), Exit::Usage);
}

#[test]
fn a_template_source_alone_is_planned_for_those_who_read_it() {
    let source = "
apiVersion: v1
kind: ConfigMap
metadata: {name: tpl, namespace: team}
data: {config: 'is {{ .password }}'}
";
    let target =
        "target: {template: {templateFrom: [{configMap: {name: tpl, items: [{key: config}]}}]}}";
    let object = OBJECT.replace("spec:", &format!("spec:\n  {target}"));
    let there = [STORE, &object, &secret("canary-1", "x")].join("---");

    let report = plan(source, &there);

    let text = printed(&report);
    assert!(
        text.contains("cause: its template source ConfigMap team/tpl changes"),
        "{text}"
    );
}

#[test]
fn labels_to_prune_by_must_be_pairs() {
    let error = plan_with(STORE, "", |flags| flags.prune = Some("app".to_owned()));

    let error = error.err().unwrap();
    assert_eq!(exit::of(&error), Exit::Usage);
    assert!(error.to_string().contains("KEY=VALUE"));
}
