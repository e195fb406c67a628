//! Paths and what they lead to.

use lockstep_provider_api::json::{decode, marshal};

use super::*;

mod hostile;

/// All places that a path leads to, as one value.
fn get(path: &str, document: &Value) -> Result<Value, PathError> {
    let expression = parse::parse(path)?;
    let found = evaluate::evaluate(&expression, document, usize::MAX)?;
    found.into_value(&budget::Budget::new())
}

const STORE: &str = r#"{"store":{"book":[
 {"title":"A","price":8.95,"tags":["x","y"]},
 {"title":"B","price":12,"isbn":"1"},
 {"title":"C","price":8.95,"isbn":"2"}],
 "bicycle":{"color":"red","price":19.95}},"a-b":{"0":"zero"},"n":null,"yes":true}"#;

fn at(path: &str) -> String {
    let document = decode(&STORE.into()).unwrap();
    match get(path, &document) {
        Ok(value) => marshal(&value),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_definite_path_gives_its_value() {
    assert_eq!(at("$.store.bicycle.color"), r#""red""#);
    assert_eq!(at("$['store'][\"bicycle\"].color"), r#""red""#);
    assert_eq!(at("$.store.book[1].title"), r#""B""#);
    assert_eq!(at("store.bicycle.color"), r#""red""#);
    assert_eq!(at("$['a-b'][0]"), r#""zero""#);
    assert_eq!(at("$.n"), "null");
    assert_eq!(at(" $ . yes "), "true");
}

#[test]
fn a_miss_on_a_definite_path_is_an_error() {
    assert_eq!(at("$.nope"), "unknown key nope");
    assert_eq!(at("$.store.nope.deeper"), "unknown key nope");
    assert_eq!(at("$.store.book[7]"), "index 7 out of bounds");
    assert_eq!(at("$.store.book[-1]"), "index -1 out of bounds");
    assert!(at("$.yes.x").starts_with("unsupported value type bool for select"));
}

#[test]
fn wildcards_unions_and_slices_give_lists() {
    assert_eq!(at("$.store.book[*].title"), r#"["A","B","C"]"#);
    assert_eq!(at("$.store.book[0,2].title"), r#"["A","C"]"#);
    assert_eq!(at("$.store.book[0,9,2].isbn"), r#"["2"]"#);
    assert_eq!(at("$.store.book[1:].title"), r#"["B","C"]"#);
    assert_eq!(at("$.store.book[-1:].title"), r#"["C"]"#);
    assert_eq!(at("$.store.book[:2].title"), r#"["A","B"]"#);
    assert_eq!(at("$.store.book[::2].title"), r#"["A","C"]"#);
    assert_eq!(at("$.store.book[0:-1].title"), "[]");
    assert_eq!(at("$.store.book[-3:-1].title"), r#"["A","B"]"#);
    assert_eq!(at("$.store.book[::-1].title"), r#"["C","B","A"]"#);
    assert_eq!(at("$.store.*.color"), r#"["red"]"#);
    assert_eq!(at("$.n[*]"), "[]");
}

#[test]
fn descending_finds_at_every_depth() {
    assert_eq!(at("$..isbn"), r#"["1","2"]"#);
    assert_eq!(at("$..tags[1]"), r#"["y"]"#);
    assert_eq!(at("$..book[*].isbn"), r#"["1","2"]"#);
    assert_eq!(at("$..['color']"), r#"["red"]"#);
}

#[test]
fn filters_compare_for_equality() {
    assert_eq!(at("$.store.book[?(@.title == 'B')].price"), "[12]");
    assert_eq!(at("$.store.book[?(@.price == 8.95)].title"), r#"["A","C"]"#);
    assert_eq!(at("$.store.book[?(@.isbn != '1')].title"), r#"["C"]"#);
    assert_eq!(
        at("$.store.book[?((@.title == 'A') == true)].title"),
        r#"["A"]"#
    );
    assert_eq!(
        at("$.store.book[?(@.price == $.store.bicycle.price)]"),
        "[]"
    );
    assert_eq!(at("$.store.book[?(@.title)]"), "[]");
}

#[test]
fn filters_take_what_counts_as_true() {
    let document = decode(
        &r#"{"l":[{"v":1,"on":true},{"v":2,"on":2},{"v":3,"on":"0.5"},{"v":4,"on":0},{"v":5,"on":"no"},
{"v":6,"on":null},{"v":7,"on":"TRUE"},{"v":8,"on":[]}]}"#
            .into(),
    )
    .unwrap();
    let found = |path: &str| marshal(&get(path, &document).unwrap());

    assert_eq!(found("$.l[?(@.on)].v"), "[1,2,3,7]");
    assert_eq!(found("$.l[?(@.gone[*] != 1)].v"), "[1,2,3,4,5,6,7,8]");
    assert_eq!(found("$.l[\"1\"].v"), "2");
}

#[test]
fn what_is_no_path_is_told_by_its_place() {
    for path in [
        "",
        "$.",
        "$[",
        "$['x",
        "$.a-b",
        "$.x[?(@.a > 1)]",
        "$[1:2:3:4]",
        "$.store)",
    ] {
        assert!(at(path).starts_with("not a JSONPath at column"), "{path}");
    }
    assert_eq!(
        at("$.a-b"),
        "not a JSONPath at column 4: names with other characters need quotes, as in $['a-b']"
    );
    assert!(at(&"(".repeat(100)).contains("nested too deep"));
}
