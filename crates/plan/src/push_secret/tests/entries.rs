//! What is pushed: explicit entries, sets of keys, conversions, templates and refusals.

use super::*;

/// Entries of the first store as `key -> place`.
fn lines(plan: &PushPlan) -> Vec<String> {
    let entries = plan.stores[0].entries.as_ref().unwrap().iter();
    let line = |entry: &Entry| {
        let key = entry.data.match_.secret_key.as_deref().unwrap_or("*");
        format!("{key} -> {}", entry.id)
    };
    entries.map(line).collect()
}

fn set(spec: &str) -> Scene {
    Scene::of(push_secret(&format!(
        "secretStoreRefs: [{{name: s}}]\nselector: {{secret: {{name: src}}}}\n{spec}"
    )))
}

fn refused(scene: &Scene, data: SecretMap) -> String {
    let mut plan = scene.plan(data).unwrap();
    match plan.stores.remove(0).entries {
        Err(failure) => failure.event().to_owned(),
        Ok(entries) => {
            let failed = entries.into_iter().find_map(|entry| entry.item.err());
            failed.unwrap().event().to_owned()
        }
    }
}

#[test]
fn every_key_of_a_set_is_an_entry_and_explicit_ones_win() {
    let scene = set("dataTo: [{storeRef: {name: s}}]\n\
         data: [{match: {secretKey: a, remoteRef: {remoteKey: special}}}]");

    let plan = scene.plan(map([("a", "1"), ("b", "2")])).unwrap();

    assert_eq!(lines(&plan), ["a -> special", "b -> b"]);
}

#[test]
fn keys_of_a_set_are_selected_and_renamed() {
    let scene = set("dataTo: [{storeRef: {name: s}, match: {regexp: ^db-}, \
         rewrite: [{regexp: {source: ^db-, target: app/}}, {transform: {template: '{{ .value | upper }}'}}]}]");

    let plan = scene
        .plan(map([("db-a", "1"), ("db-b", "2"), ("x", "3")]))
        .unwrap();

    assert_eq!(lines(&plan), ["db-a -> APP/A", "db-b -> APP/B"]);
}

#[test]
fn a_bundle_is_one_entry_with_the_matching_keys_only() {
    let scene = set(
        "dataTo: [{storeRef: {name: s}, remoteKey: all, match: {regexp: a}, \
         conversionStrategy: ReverseUnicode}]",
    );

    let plan = scene.plan(map([("a_U002f_1", "1"), ("b", "2")])).unwrap();

    assert_eq!(lines(&plan), ["* -> all"]);
    let item = plan.stores[0].entries.as_ref().unwrap()[0]
        .item
        .as_ref()
        .unwrap();
    assert_eq!(item.source.keys().collect::<Vec<_>>(), ["a/1"]);
}

#[test]
fn places_that_meet_are_refused_in_upstreams_words() {
    let two_sets =
        set("dataTo: [{storeRef: {name: s}}, {storeRef: {name: s}, match: {regexp: a}}]");
    let empty =
        set("dataTo: [{storeRef: {name: s}, rewrite: [{regexp: {source: .*, target: ''}}]}]");
    let explicit = set("dataTo: [{storeRef: {name: s}}]\n\
         data: [{match: {secretKey: a, remoteRef: {remoteKey: b}}}]");
    let data = || map([("a", "1"), ("b", "2")]);

    assert_eq!(
        refused(&two_sets, data()),
        "set secret failed: failed to expand dataTo: dataTo[1]: duplicate remote key \"a\" from \
         source key \"a\" (conflicts with dataTo[0]:a)"
    );
    assert_eq!(
        refused(&empty, data()),
        "set secret failed: failed to expand dataTo: dataTo[0]: empty remote key produced for \
         source key \"a\""
    );
    assert_eq!(
        refused(&explicit, data()),
        "set secret failed: failed to merge data entries: duplicate remote key \"b\": source keys \
         \"b\" and \"a\" both map to the same destination"
    );
}

#[test]
fn two_entries_for_one_place_are_refused_without_a_set_too() {
    let entries = set(
        "data: [{match: {secretKey: a, remoteRef: {remoteKey: r, property: p}}}, \
         {match: {secretKey: b, remoteRef: {remoteKey: r, property: p}}}]",
    );

    assert_eq!(
        refused(&entries, map([("a", "1"), ("b", "2")])),
        "set secret failed: failed to merge data entries: duplicate remote key \"r\" with property \
         \"p\": source keys \"a\" and \"b\" both map to the same destination"
    );
}

#[test]
fn sets_that_cannot_be_read_are_refused_in_upstreams_words() {
    let failure = |set_text: &str| {
        let scene = set(&format!("dataTo: [{{storeRef: {{name: s}}, {set_text}}}]"));
        let text = refused(&scene, map([("a", "1")]));
        text.trim_start_matches("set secret failed: failed to expand dataTo: dataTo[0]: ")
            .to_owned()
    };

    assert_eq!(
        failure("match: {regexp: (}"),
        "match failed: failed to compile regexp pattern \"(\": error parsing regexp: missing \
         closing ): `(`"
    );
    assert_eq!(
        failure("rewrite: [{regexp: {source: (, target: x}}]"),
        "rewrite failed: rewrite[0]: invalid regexp \"(\": error parsing regexp: missing closing \
         ): `(`"
    );
    assert_eq!(
        failure("rewrite: [{transform: {template: '{{ .value '}}]"),
        "rewrite failed: rewrite[0]: invalid template: template: t:1: unclosed action"
    );
    assert_eq!(
        failure(
            "rewrite: [{regexp: {source: a, target: b}}, {transform: {template: '{{ fail \"x\" }}'}}]"
        ),
        "rewrite failed: rewrite[1] on key \"b\": template exec: template: t:1:3: executing \"t\" \
         at <fail \"x\">: error calling fail: x"
    );
}

#[test]
fn a_key_the_source_lacks_fails_by_itself() {
    let scene = set(
        "data: [{match: {secretKey: a, remoteRef: {remoteKey: r}}}, \
         {match: {secretKey: nope, remoteRef: {remoteKey: q}}}]",
    );

    let plan = scene.plan(map([("a", "1")])).unwrap();

    let entries = plan.stores[0].entries.as_ref().unwrap();
    assert!(entries[0].item.is_ok());
    assert_eq!(
        entries[1].item.as_ref().unwrap_err().event(),
        "set secret failed: secret key nope does not exist; the source has a"
    );
}

#[test]
fn keys_are_converted_back_before_they_are_looked_up() {
    let scene = set(
        "data: [{match: {secretKey: a/b, remoteRef: {remoteKey: r, property: p}}, \
         conversionStrategy: ReverseUnicode}]",
    );

    let plan = scene.plan(map([("a_U002f_b", "1")])).unwrap();

    let entry = &plan.stores[0].entries.as_ref().unwrap()[0];
    assert_eq!(entry.id, "r/p");
    assert!(entry.item.is_ok());
}

#[test]
fn a_template_adds_to_the_source_and_sets_the_type() {
    let scene = set(
        "template: {type: kubernetes.io/basic-auth, metadata: {labels: {l: '{{ .u }}'}}, \
         data: {username: '{{ .u }}'}}\n\
         data: [{match: {remoteRef: {remoteKey: r}}}]",
    );

    let plan = scene.plan(map([("u", "bob")])).unwrap();

    let item = plan.stores[0].entries.as_ref().unwrap()[0]
        .item
        .as_ref()
        .unwrap();
    assert_eq!(item.source.keys().collect::<Vec<_>>(), ["u", "username"]);
    assert_eq!(
        item.secret_type.as_deref(),
        Some("kubernetes.io/basic-auth")
    );
    assert_eq!(item.labels["l"], "bob");
}

#[test]
fn a_template_that_fails_is_a_failure_with_words() {
    let scene = set("template: {data: {x: '{{ .nope }}'}}\ndata: []");

    let failure = scene.plan(map([("a", "1")])).unwrap_err();

    assert!(
        failure.event().starts_with("could not apply template: "),
        "{failure}"
    );
}

#[test]
fn of_two_sources_for_one_place_the_later_one_is_pushed() {
    let scene = set("data: [{match: {secretKey: a, remoteRef: {remoteKey: r}}}]");
    let source = |value| Source {
        data: map([("a", value)]),
        ..Source::default()
    };

    let plan = scene.plan_all(vec![source("1"), source("2")]).unwrap();

    let entries = plan.stores[0].entries.as_ref().unwrap();
    assert_eq!(entries.len(), 1);
    let item = entries[0].item.as_ref().unwrap();
    assert_eq!(item.source.get("a").unwrap().expose(), b"2");
}

#[test]
fn a_store_that_is_not_ready_gets_nothing() {
    let mut scene = set("data: [{match: {secretKey: a, remoteRef: {remoteKey: r}}}]");
    let mut store = ready_store("s");
    store.status = None;
    scene.stores = lookup([StoreView::of(&store)]);

    assert_eq!(
        refused(&scene, map([("a", "1")])),
        "set secret failed: could not get secrets client for store s: SecretStore \"s\" is not ready"
    );
}

#[test]
fn a_store_without_a_client_says_why_it_has_none() {
    let mut scene = set("data: [{match: {secretKey: a, remoteRef: {remoteKey: r}}}]");
    let mut store = ready_store("s");
    for condition in store
        .status
        .iter_mut()
        .flat_map(|status| &mut status.conditions)
    {
        condition.status = "False".to_owned();
        condition.message = Some("unable to create client: InvalidSpec: no vault: v".to_owned());
    }
    scene.stores = lookup([StoreView::of(&store)]);

    assert_eq!(
        refused(&scene, map([("a", "1")])),
        "set secret failed: could not get secrets client for store s: no vault: v"
    );
}

#[test]
fn a_store_that_nobody_checks_is_pushed_to_unless_it_is_known_to_fail() {
    let mut scene = set("data: [{match: {secretKey: a, remoteRef: {remoteKey: r}}}]");
    scene.settings.secret_stores = false;
    let mut store = ready_store("s");
    for condition in store
        .status
        .iter_mut()
        .flat_map(|status| &mut status.conditions)
    {
        condition.status = "False".to_owned();
    }
    scene.stores = lookup([StoreView::of(&store)]);
    let failing = refused(&scene, map([("a", "1")]));
    store.status = None;
    scene.stores = lookup([StoreView::of(&store)]);

    let plan = scene.plan(map([("a", "1")])).unwrap();

    assert!(failing.ends_with("is not ready"), "{failing}");
    assert_eq!(plan.stores[0].entries.as_ref().unwrap().len(), 1);
}

#[test]
fn a_selector_of_a_set_that_matches_no_store_is_refused() {
    let scene = set("dataTo: [{storeRef: {labelSelector: {matchLabels: {x: y}}}}]");

    let failure = scene.plan(map([("a", "1")])).unwrap_err();

    assert_eq!(
        failure.event(),
        "dataTo[0]: labelSelector does not match any store in secretStoreRefs"
    );
}
