use lockstep_template::{Budget, Limits};

use super::*;
use crate::external_secret::{SourceKey, SourceKind};
use crate::settings::Delimiters;
use crate::template_fault::{TemplateFault, TemplateText};
use crate::testing::{map, noon, one_value};

fn rendered(template: &str, data: SecretMap) -> Result<Rendered, String> {
    rendered_with(
        template,
        data,
        &TemplateSources::new(),
        &Settings::default(),
    )
}

fn rendered_with(
    template: &str,
    data: SecretMap,
    sources: &TemplateSources,
    settings: &Settings,
) -> Result<Rendered, String> {
    let object = one_value(&format!("target: {{template: {{{template}}}}}"));
    let budget = Budget::new(settings.template_limits);
    let work = Work {
        settings,
        now: noon(),
        budget: &budget,
    };
    render(&object, data, RenderContext { sources, work }).map_err(|error| error.text)
}

fn sources() -> TemplateSources {
    let key = |kind, name: &str| SourceKey {
        kind,
        name: name.to_owned(),
    };
    [
        (
            key(SourceKind::ConfigMap, "t"),
            Ok(map([
                ("conf", "x-{{ .a }}"),
                ("b64", "{{ .a | b64enc }}"),
                ("map", "k: '{{ .a }}'"),
            ])),
        ),
        (
            key(SourceKind::Secret, "t"),
            Ok(map([("conf", "s-{{ .a }}")])),
        ),
        (
            key(SourceKind::ConfigMap, "bad"),
            Err("configmaps \"bad\" not found".to_owned()),
        ),
    ]
    .into()
}

fn from(entries: &str) -> Result<Rendered, String> {
    let template = format!("templateFrom: [{entries}]");
    rendered_with(
        &template,
        map([("a", "v")]),
        &sources(),
        &Settings::default(),
    )
}

#[test]
fn values_are_rendered_from_fetched_data() {
    let rendered = rendered("data: {x: 'u={{ .a }}', y: plain}", map([("a", "v")])).unwrap();

    assert_eq!(rendered.data, map([("x", "u=v"), ("y", "plain")]));
}

#[test]
fn labels_and_annotations_are_rendered_too() {
    let metadata = "metadata: {labels: {l: '{{ .a }}'}, annotations: {m: '{{ .a | upper }}'}}";

    let rendered = rendered(metadata, map([("a", "v")])).unwrap();

    assert_eq!(rendered.labels["l"], "v");
    assert_eq!(rendered.annotations["m"], "V");
    assert_eq!(rendered.data, map([("a", "v")]));
}

#[test]
fn bytes_that_are_no_text_pass_through_data_and_are_refused_in_labels() {
    let bytes = SecretMap::from_iter([("a".to_owned(), vec![0xff, 0xfe].into())]);

    let data = rendered("data: {x: '{{ .a }}'}", bytes.clone())
        .unwrap()
        .data;
    let label = rendered("metadata: {labels: {l: '{{ .a }}'}}", bytes);

    assert_eq!(data.get("x").unwrap().expose(), [0xff, 0xfe]);
    assert_eq!(
        label.unwrap_err(),
        "could not apply template: the value rendered for l is not valid UTF-8"
    );
}

#[test]
fn failures_are_told_in_upstreams_words() {
    let prefix = "could not apply template: could not execute template: could not execute \
                  template: unable to execute template at key x: ";
    let cases = [
        (
            "data: {x: '{{ fail \"stop here\" }}'}",
            "unable to execute template at key x: template: x:1:3: executing \"x\" at <fail \"stop \
             here\">: error calling fail: stop here",
        ),
        (
            "data: {x: '{{ .a'}",
            "unable to parse template at key x: template: x:1: unclosed action",
        ),
        (
            "data: {x: '{{ .nope }}'}",
            "unable to execute template at key x: template: x:1:3: executing \"x\" at <.nope>: map \
             has no entry for key \"nope\"",
        ),
    ];
    for (template, wanted) in cases {
        assert_eq!(
            rendered(template, map([("a", "v")])).unwrap_err(),
            format!("{prefix}{wanted}"),
            "{template}"
        );
    }
}

#[test]
fn delimiters_may_be_others() {
    let delimiters = Delimiters {
        left: "[[".to_owned(),
        right: "]]".to_owned(),
    };
    let settings = Settings {
        delimiters,
        ..Settings::default()
    };

    let rendered = rendered_with(
        "data: {x: '[[ .a ]] {{ .a }}'}",
        map([("a", "v")]),
        &TemplateSources::new(),
        &settings,
    );

    assert_eq!(rendered.unwrap().data, map([("x", "v {{ .a }}")]));
}

#[test]
fn sources_give_one_value_a_key() {
    let config_map = "{configMap: {name: t, items: [{key: conf}]}}";
    let secret = "{secret: {name: t, items: [{key: conf, templateAs: Values}]}}";

    assert_eq!(from(config_map).unwrap().data, map([("conf", "x-v")]));
    assert_eq!(from(secret).unwrap().data, map([("conf", "s-v")]));
    assert_eq!(
        from(&format!("{config_map}, {secret}")).unwrap().data,
        map([("conf", "s-v")])
    );
}

#[test]
fn template_data_replaces_what_sources_gave() {
    let template =
        "templateFrom: [{configMap: {name: t, items: [{key: conf}]}}], data: {conf: own}";

    let rendered = rendered_with(
        template,
        map([("a", "v")]),
        &sources(),
        &Settings::default(),
    );

    assert_eq!(rendered.unwrap().data, map([("conf", "own")]));
}

#[test]
fn results_of_a_source_may_be_decoded_and_sent_elsewhere() {
    let decoded = "{configMap: {name: t, items: [{key: b64}]}, valuesDecodingStrategy: Base64}";
    let labels = "{configMap: {name: t, items: [{key: conf}]}, target: lAbElS}";

    assert_eq!(from(decoded).unwrap().data, map([("b64", "v")]));
    let rendered = from(labels).unwrap();
    assert_eq!(rendered.labels["conf"], "x-v");
    assert!(rendered.data.is_empty());
}

#[test]
fn sources_that_cannot_be_used_are_named() {
    let prefix = "could not apply template: error fetching templateFrom data: ";
    let cases = [
        (
            "{configMap: {name: t, items: [{key: no}]}}",
            "error in configmap t: missing key no",
        ),
        (
            "{secret: {name: t, items: [{key: no}]}}",
            "error in secret t: missing key no",
        ),
        (
            "{configMap: {name: bad, items: [{key: x}]}}",
            "configmaps \"bad\" not found",
        ),
        (
            "{secret: {name: absent, items: [{key: x}]}}",
            "secrets \"absent\" not found",
        ),
        (
            "{literal: 'x: \"!!\"', valuesDecodingStrategy: Base64}",
            "failed to decode rendered template value for key x: illegal base64 data at input \
             byte 0",
        ),
        (
            "{configMap: {name: t, items: [{key: conf, templateAs: Lines}]}}",
            "unknown scope 'Lines': expected 'Values' or 'KeysAndValues'",
        ),
    ];
    for (entry, wanted) in cases {
        assert_eq!(
            from(entry).unwrap_err(),
            format!("{prefix}{wanted}"),
            "{entry}"
        );
    }
}

#[test]
fn a_literal_renders_keys_and_values() {
    let rendered = from("{literal: \"k: '{{ .a }}'\\nnum: 010\"}").unwrap();

    assert_eq!(rendered.data, map([("k", "v"), ("num", "8")]));
}

#[test]
fn a_source_may_render_keys_and_values() {
    let entry = "{configMap: {name: t, items: [{key: map, templateAs: KeysAndValues}]}}";

    assert_eq!(from(entry).unwrap().data, map([("k", "v")]));
}

#[test]
fn a_literal_may_be_meant_for_annotations() {
    let rendered = from("{literal: 'k: {{ .a }}', target: Annotations}").unwrap();

    assert_eq!(rendered.annotations["k"], "v");
    assert!(rendered.data.is_empty());
}

#[test]
fn a_literal_that_renders_no_flat_map_is_refused() {
    let prefix = "could not apply template: error fetching templateFrom data: could not unmarshal \
                  template to 'map[string][]byte': error unmarshaling JSON: while decoding JSON: ";

    assert_eq!(
        from("{literal: 'k: {x: 1}'}").unwrap_err(),
        format!("{prefix}json: cannot unmarshal object into Go value of type string")
    );
    assert_eq!(
        from("{literal: 'just text'}").unwrap_err(),
        format!("{prefix}json: cannot unmarshal string into Go value of type map[string]string")
    );
}

#[test]
fn a_failing_literal_is_named_by_its_place_not_by_its_text() {
    let error = from("{literal: 'k: {{ .nope }}'}").unwrap_err();

    assert!(error.contains("at key templateFrom[0].literal:"), "{error}");
}

#[test]
fn another_template_language_is_refused() {
    assert!(rendered("engineVersion: v2, data: {x: y}", map([])).is_ok());
    assert_eq!(
        rendered("engineVersion: v1, data: {x: y}", map([])).unwrap_err(),
        "could not apply template: unsupported template engine version: v1"
    );
}

#[test]
fn a_fault_names_the_template_and_the_place() {
    let object = one_value("target: {template: {data: {x: \"1\\n2 {{ .nope }}\"}}}");
    let (settings, budget) = (Settings::default(), Budget::new(Limits::default()));
    let means = RenderContext {
        sources: &sources(),
        work: Work {
            settings: &settings,
            now: noon(),
            budget: &budget,
        },
    };

    let fault = render(&object, map([("a", "v")]), means).unwrap_err().fault;

    assert_eq!(
        fault,
        Some(TemplateFault {
            template: TemplateText::Field("spec.target.template.data.x".to_owned()),
            line: 2,
            column: 5,
            message: "map has no entry for key \"nope\"".to_owned(),
        })
    );
}

#[test]
fn a_template_ends_at_the_limits_of_the_settings() {
    let settings = Settings {
        template_limits: lockstep_template::Limits {
            output: 4,
            ..lockstep_template::Limits::default()
        },
        ..Settings::default()
    };
    let template = "data: {x: '{{ .a }}{{ .a }}'}";
    let sources = TemplateSources::new();

    let short = rendered_with(template, map([("a", "12")]), &sources, &settings);
    let long = rendered_with(template, map([("a", "123")]), &sources, &settings);

    assert!(short.is_ok());
    let error = long.unwrap_err();
    assert!(
        error.contains("output exceeds the limit of 4 bytes"),
        "{error}"
    );
}

#[test]
fn all_templates_of_an_object_share_one_budget() {
    let settings = Settings::default();
    let one = "{{ repeat 9000000 \"x\" | len }}";
    let sources = TemplateSources::new();
    let cases = [
        format!("data: {{a: '{one}', b: '{one}', c: '{one}'}}"),
        format!(
            "data: {{a: '{one}'}}, metadata: {{labels: {{b: '{one}'}}, annotations: {{c: '{one}'}}}}"
        ),
        format!(
            "templateFrom: [{{literal: 'a: {one}'}}, {{literal: 'b: {one}'}}, {{literal: 'c: {one}'}}]"
        ),
    ];
    for template in cases {
        let error = rendered_with(&template, map([("a", "1")]), &sources, &settings).unwrap_err();

        assert!(
            error.contains(
                "values exceed the memory limit of 25165824 bytes; all templates, labels"
            ),
            "{error}"
        );
    }
    let alone = format!("data: {{a: '{one}'}}");
    assert!(rendered_with(&alone, map([("a", "1")]), &sources, &settings).is_ok());
}
