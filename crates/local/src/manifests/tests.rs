use super::*;

fn load(text: &str) -> Manifests {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.yaml"), text).unwrap();
    let documents = crate::documents::read(folder.path(), None).unwrap();
    Manifests::of(documents, "default")
}

fn problems(text: &str) -> Vec<String> {
    load(text)
        .problems
        .iter()
        .map(ToString::to_string)
        .collect()
}

const STORE: &str = "
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: demo}
spec:
  provider:
    fake:
      data: [{key: k, value: v}]
";

#[test]
fn objects_without_a_namespace_get_the_default_one() {
    let manifests = load(STORE);

    assert!(
        manifests
            .stores
            .contains_key(&StoreKey::namespaced("default", "demo"))
    );
    assert!(manifests.problems.is_empty());
}

#[test]
fn an_unknown_field_of_a_provider_is_named_with_its_line() {
    let text = STORE.replace("value: v", "vlaue: v");

    assert_eq!(
        problems(&text),
        [
            "a.yaml:8 (document 1): SecretStore default/demo: spec.provider.fake.data[0].value: \
             is required; add the field",
            "a.yaml:8 (document 1): SecretStore default/demo: spec.provider.fake.data[0].vlaue: \
             unknown field; did you mean \"value\"?",
        ]
    );
}

#[test]
fn an_unknown_provider_gets_a_suggestion() {
    let text = STORE.replace("fake:", "fakee:");

    assert_eq!(
        problems(&text),
        [
            "a.yaml:7 (document 1): SecretStore default/demo: spec.provider.fakee: unknown field; \
          did you mean \"fake\"?"
        ]
    );
}

#[test]
fn two_providers_are_refused_by_name() {
    let text = STORE.replace(
        "    fake:",
        "    aws: {region: eu-west-1, service: SecretsManager}\n    fake:",
    );

    assert_eq!(
        problems(&text),
        [
            "a.yaml:6 (document 1): SecretStore default/demo: spec.provider: names 2 providers (aws, \
          fake); keep exactly one"
        ]
    );
}

#[test]
fn the_second_of_two_equal_objects_is_a_problem_and_the_first_is_used() {
    let manifests = load(&format!(
        "{STORE}---{}",
        STORE.replace("key: k", "key: other")
    ));

    assert_eq!(manifests.stores.len(), 1);
    assert_eq!(
        manifests.problems[0].to_string(),
        "a.yaml:12 (document 2): SecretStore default/demo: metadata.name: the same object is also \
         in a.yaml:2 (document 1); keep one of them; the first is used"
    );
}

#[test]
fn plain_text_under_data_is_told_without_showing_it() {
    let text =
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {password: hunter2-canary}";

    assert_eq!(
        problems(text),
        [
            "a.yaml:4 (document 1): Secret default/s: data.password: is not base64; encode it, or put \
          plain text under stringData"
        ]
    );
}

#[test]
fn plain_and_encoded_values_end_in_one_map() {
    let text = "
apiVersion: v1
kind: Secret
metadata: {name: s}
data: {a: YWJj, b: eA==}
stringData: {b: plain}
";
    let manifests = load(text);

    let secret = &manifests.secrets[&Name::new("default", "s")];
    let data = secret.data.as_ref().unwrap();
    assert_eq!(data["a"].0, b"abc");
    assert_eq!(data["b"].0, b"plain");
}

#[test]
fn other_kinds_are_skipped_and_misspelt_ones_are_problems() {
    let manifests = load(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n---\n\
         apiVersion: external-secrets.io/v1\nkind: ExternalSecrets\nmetadata: {name: e}\n---\n\
         apiVersion: external-secrets.io/v1beta1\nkind: SecretStore\nmetadata: {name: s}\n",
    );

    assert_eq!(manifests.skipped[0].kind, "Deployment");
    let problems: Vec<String> = manifests.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "a.yaml:6 (document 2): ExternalSecrets: kind: there is no such kind in \
             external-secrets.io; did you mean \"ExternalSecret\"?",
            "a.yaml:9 (document 3): SecretStore: apiVersion: version v1beta1 is not served; write \
             external-secrets.io/v1",
        ]
    );
}

#[test]
fn what_admission_refuses_is_a_problem() {
    let text = "
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: e}
spec:
  secretStoreRef: {name: demo}
";

    assert!(problems(text)[0].contains("either data or dataFrom should be specified"));
}

#[test]
fn a_duration_that_go_cannot_read_gets_a_remedy_that_works() {
    let fault = |interval: &str| {
        let text = format!(
            "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {{name: e}}\nspec:\n  \
             refreshInterval: {interval}\n  secretStoreRef: {{name: s}}\n  dataFrom: [{{extract: {{key: \
             k}}}}]\n"
        );
        problems(&text).join("\n")
    };

    assert!(fault("1d").ends_with("write hours, minutes or seconds: 24h for a day, 90s"));
    assert!(fault("60").ends_with("but is a number; add a unit, for example 60s or 1h"));
}

#[test]
fn a_field_that_is_written_twice_is_a_problem() {
    let text = STORE.replace("spec:", "spec:\n  controller: a\n  controller: b");

    assert_eq!(
        problems(&text),
        [
            "a.yaml:6 (document 1): SecretStore default/demo: spec.controller: is written more than \
          once; keep one of them"
        ]
    );
}

#[test]
fn words_mean_what_they_mean_to_kubectl() {
    let text = STORE.replace("value: v", "value: yes");

    assert_eq!(
        problems(&text),
        [
            "a.yaml:8 (document 1): SecretStore default/demo: spec.provider.fake.data[0].value: must \
          be a string, but is true or false; put it in quotes"
        ]
    );
}

#[test]
fn a_misspelt_group_is_a_problem_and_groups_of_others_are_not() {
    let text = |api_version: &str, kind: &str| {
        format!("apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: x}}\n")
    };

    assert_eq!(
        problems(&text("external-secret.io/v1", "ExternalSecret")),
        [
            "a.yaml:1 (document 1): ExternalSecret: apiVersion: unknown API group; did you mean \
             \"external-secrets.io\"?"
        ]
    );
    assert_eq!(
        problems(&text("generator.external-secrets.io/v1alpha1", "Password")).len(),
        1
    );
    // The predecessor of the original operator had a kind of this name.
    let others = [
        text("kubernetes-client.io/v1", "ExternalSecret"),
        text("externaldns.k8s.io/v1alpha1", "DNSEndpoint"),
        text("apps/v1", "Deployment"),
    ];
    assert!(problems(&others.join("---\n")).is_empty());
}

#[test]
fn versions_and_kinds_that_are_not_served_are_problems() {
    let push = "apiVersion: external-secrets.io/v1\nkind: PushSecret\nmetadata: {name: p}\n";
    let generator =
        "apiVersion: generators.external-secrets.io/v1alpha1\nkind: Pasword\nmetadata: {name: p}\n";

    assert!(
        problems(push)[0].contains("version v1 is not served; write external-secrets.io/v1alpha1")
    );
    assert!(problems(generator)[0].contains("did you mean \"Password\"?"));
}

#[test]
fn fields_of_kinds_that_only_a_cluster_reconciles_are_checked() {
    let text = "
apiVersion: external-secrets.io/v1alpha1
kind: PushSecret
metadata: {name: p}
spec:
  secretStoreRefs: [{name: demo}]
  selctor: {secret: {name: s}}
  selector: {secret: {name: s}}
---
apiVersion: external-secrets.io/v1
kind: ClusterExternalSecret
metadata: {name: c}
spec:
  refreshTimes: 1h
  externalSecretSpec:
    secretStoreRef: {name: demo}
    dta: []
";

    assert_eq!(
        problems(text),
        [
            "a.yaml:7 (document 1): PushSecret default/p: spec.selctor: unknown field; did you mean \
             \"selector\"?",
            "a.yaml:14 (document 2): ClusterExternalSecret c: spec.refreshTimes: unknown field; did \
             you mean \"refreshTime\"?",
            "a.yaml:17 (document 2): ClusterExternalSecret c: spec.externalSecretSpec.dta: unknown \
             field; did you mean \"data\"?",
        ]
    );
}

#[test]
fn yaml_of_other_tools_is_skipped_and_objects_without_a_header_are_not() {
    let quiet = load(
        "resources: [a.yaml]\n---\n- hosts: all\n---\napiVersion: v2\nname: chart\nversion: 1.0.0\n---\n\
         replicaCount: 2\nimage: {tag: x}\n",
    );

    assert!(quiet.problems.is_empty());
    assert_eq!(quiet.skipped.len(), 4);
    assert!(problems("metadata: {name: x}\nspec: {}\n")[0].contains("apiVersion: is required"));
    assert!(problems("kind: ExternalSecret\nspec: {}\n")[0].contains("apiVersion: is required"));
}

#[test]
fn faults_of_list_items_and_refusals_of_admission_point_at_their_line() {
    let list = "
apiVersion: v1
kind: List
items:
- apiVersion: external-secrets.io/v1
  kind: SecretStore
  metadata: {name: a}
  spec:
    provider:
      fake:
        dta: []
        data: []
";
    let refused = "
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: e}
spec:
  secretStoreRef: {name: demo}
  dataFrom:
  - extract: {key: a}
  - extract: {key: a}
    find: {name: {regexp: a}}
";

    assert!(
        problems(list)[0].starts_with("a.yaml:11 "),
        "{:?}",
        problems(list)
    );
    assert!(
        problems(refused)[0]
            .starts_with("a.yaml:9 (document 1): ExternalSecret default/e: spec.dataFrom[1]: "),
        "{:?}",
        problems(refused)
    );
}
