use super::*;

fn faults(spec: &str) -> Vec<String> {
    external_secret(&serde_saphyr::from_str(spec).unwrap())
}

const DATA: &str = "data: [{secretKey: a, remoteRef: {key: k}}]";

#[test]
fn an_ordinary_object_passes() {
    assert_eq!(faults(DATA), Vec::<String>::new());
    assert_eq!(
        faults("dataFrom: [{extract: {key: k}}]"),
        Vec::<String>::new()
    );
    assert_eq!(
        faults("dataFrom: [{sourceRef: {storeRef: {name: s}}}]"),
        Vec::<String>::new()
    );
}

#[test]
fn deleting_needs_an_owner() {
    let text = "deletionPolicy=Delete must not be used when the controller doesn't own the secret. \
                Please set creationPolicy=Owner";
    for (creation, refused) in [
        ("Owner", false),
        ("Orphan", false),
        ("Merge", true),
        ("None", true),
        ("CreateOrMerge", true),
    ] {
        let spec =
            format!("{DATA}\ntarget: {{creationPolicy: {creation}, deletionPolicy: Delete}}");

        let wanted = if refused {
            vec![text.to_owned()]
        } else {
            vec![]
        };
        assert_eq!(faults(&spec), wanted, "{creation}");
    }
}

#[test]
fn merging_needs_a_secret() {
    assert_eq!(
        faults(&format!(
            "{DATA}\ntarget: {{creationPolicy: None, deletionPolicy: Merge}}"
        )),
        [
            "deletionPolicy=Merge must not be used with creationPolicy=None. There is no Secret to \
             merge with"
        ]
    );
}

#[test]
fn something_must_be_fetched() {
    assert_eq!(
        faults("{}"),
        ["either data or dataFrom should be specified"]
    );
}

#[test]
fn a_source_is_exactly_one_thing() {
    let several = "extract, find, or generatorRef cannot be set at the same time";
    let none = "either extract, find, or sourceRef must be set to dataFrom";
    let empty = "generatorRef or storeRef must be set when using sourceRef in dataFrom";
    let generator = "sourceRef: {generatorRef: {kind: Fake, name: g}}";
    let cases = [
        ("extract: {key: k}, find: {}".to_owned(), vec![several]),
        (format!("extract: {{key: k}}, {generator}"), vec![several]),
        (format!("find: {{}}, {generator}"), vec![several]),
        (generator.to_owned(), vec![]),
        (String::new(), vec![none]),
        ("sourceRef: {}".to_owned(), vec![empty]),
    ];
    for (entry, wanted) in cases {
        assert_eq!(
            faults(&format!("dataFrom: [{{{entry}}}]")),
            wanted,
            "{entry}"
        );
    }
}

#[test]
fn the_same_key_twice_is_refused_under_retain_only() {
    let twice = "data: [{secretKey: a, remoteRef: {key: k}}, {secretKey: a, remoteRef: {key: l}}]";

    assert_eq!(faults(twice), ["duplicate secretKey found: a"]);
    assert_eq!(
        faults(&format!("{twice}\ntarget: {{deletionPolicy: Merge}}")),
        Vec::<String>::new()
    );
}

#[test]
fn templates_for_cluster_credentials_are_refused() {
    let token = "type: kubernetes.io/service-account-token";
    let named = "metadata: {annotations: {kubernetes.io/service-account.name: x}}";
    let cases = [
        (
            format!("{token}, {named}"),
            vec![
                "template.type=\"kubernetes.io/service-account-token\" with annotation \
                 \"kubernetes.io/service-account.name\" is not allowed",
            ],
        ),
        (
            format!("{token}, templateFrom: [{{target: ANNOTATIONS, literal: x}}]"),
            vec![
                "template.type=\"kubernetes.io/service-account-token\" with templateFrom \
                 target=\"Annotations\" is not allowed",
            ],
        ),
        (token.to_owned(), vec![]),
        (
            "type: bootstrap.kubernetes.io/token".to_owned(),
            vec!["template.type=\"bootstrap.kubernetes.io/token\" is not allowed"],
        ),
    ];
    for (template, wanted) in cases {
        assert_eq!(
            faults(&format!("{DATA}\ntarget: {{template: {{{template}}}}}")),
            wanted
        );
    }
}

#[test]
fn a_template_source_of_a_secret_has_three_targets() {
    let text = |target: &str| {
        format!(
            "templateFrom target=\"{target}\" is not allowed when targeting a Secret, must be one \
             of \"Data\", \"Annotations\" or \"Labels\""
        )
    };
    let spec = |target: &str, more: &str| {
        format!(
            "{DATA}\ntarget: {{{more} template: {{templateFrom: [{{literal: x, target: '{target}'}}]}}}}"
        )
    };
    for target in ["", "Data", "data", "LABELS", "Annotations"] {
        assert_eq!(faults(&spec(target, "")), Vec::<String>::new(), "{target}");
    }
    assert_eq!(faults(&spec("Spec", "")), [text("Spec")]);
    let secret = "manifest: {apiVersion: v1, kind: Secret},";
    let config_map = "manifest: {apiVersion: v1, kind: ConfigMap},";
    assert_eq!(faults(&spec("spec.x", secret)), [text("spec.x")]);
    assert_eq!(faults(&spec("spec.x", config_map)), Vec::<String>::new());
}

fn store_fault(spec: &str) -> Result<(), String> {
    store("s", &serde_saphyr::from_str(spec).unwrap())
}

#[test]
fn a_store_has_one_provider_a_readable_interval_and_patterns_that_compile() {
    let fake = "provider: {fake: {}}";

    assert_eq!(store_fault(fake), Ok(()));
    assert_eq!(
        store_fault(&format!("{fake}\nconditions: [{{}}, {{namespaceRegexes: [a, '(']}}]")),
        Err("failed to compile 1th namespace regex in 1th condition: error parsing regexp: missing \
             closing ): `(`"
            .to_owned())
    );
    assert!(store_fault(&format!("{fake}\nrefreshInterval: -1")).is_err());
    assert_eq!(
        store_fault("provider: {}"),
        Err(
            "store error for s: secret stores must only have exactly one backend specified, found 0"
                .to_owned()
        )
    );
}

#[test]
fn every_pattern_of_a_store_that_does_not_compile_is_named() {
    let spec = "{provider: {fake: {}}, conditions: [{namespaceRegexes: ['(']}, {namespaceRegexes: \
                ['[']}]}";

    let text = store_fault(spec).unwrap_err();

    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[1].starts_with("failed to compile 0th namespace regex in 1th condition: "));
}
