//! Paths written and removed, with what sjson answers for them.

use super::*;

fn written(json: &str, path: &str) -> String {
    String::from_utf8(set(json.as_bytes(), path, b"v").unwrap()).unwrap()
}

fn removed(json: &str, path: &str) -> String {
    String::from_utf8(remove(json.as_bytes(), path).unwrap()).unwrap()
}

#[test]
fn a_member_is_replaced_and_the_rest_keeps_its_spelling() {
    assert_eq!(
        written(r#"{ "keep" : 1.50, "x":"old" , "z":[1, 2]}"#, "x"),
        r#"{ "keep" : 1.50, "x":"v" , "z":[1, 2]}"#
    );
}

#[test]
fn a_new_member_goes_to_the_end() {
    assert_eq!(written(r#"{"a":1}"#, "b"), r#"{"a":1,"b":"v"}"#);
    assert_eq!(written("{}", "b"), r#"{"b":"v"}"#);
    assert_eq!(written(r#"{"a":1 }"#, "b"), r#"{"a":1 ,"b":"v"}"#);
}

#[test]
fn missing_containers_are_made() {
    assert_eq!(written("", "a.b"), r#"{"a":{"b":"v"}}"#);
    assert_eq!(written("", "a.1"), r#"{"a":[null,"v"]}"#);
    assert_eq!(written("", "a.:1"), r#"{"a":{"1":"v"}}"#);
    assert_eq!(written(r#"{"a":{}}"#, "a.b.c"), r#"{"a":{"b":{"c":"v"}}}"#);
    assert_eq!(written("", "a.-1.b"), r#"{"a":[{"b":"v"}]}"#);
    assert_eq!(written("", "-1.:-1"), r#"{"-1":{"-1":"v"}}"#);
    assert_eq!(written("null\n", "a"), r#"{"a":"v"}"#);
}

#[test]
fn a_scalar_on_the_way_gives_way() {
    assert_eq!(written(r#"{"a":1}"#, "a.b"), r#"{"a":{"b":"v"}}"#);
}

#[test]
fn arrays_are_written_by_place_and_extended() {
    assert_eq!(written(r#"{"a":[1,2]}"#, "a.0"), r#"{"a":["v",2]}"#);
    assert_eq!(written(r#"{"a":[1]}"#, "a.2"), r#"{"a":[1,null,"v"]}"#);
    assert_eq!(written(r#"{"a":[1]}"#, "a.-1"), r#"{"a":[1,"v"]}"#);
}

#[test]
fn white_space_is_lost_where_something_is_added_and_kept_where_something_is_replaced() {
    assert_eq!(
        written("\n{ \"a\" : 1 }\n", "b"),
        "{ \"a\" : 1 ,\"b\":\"v\"}"
    );
    assert_eq!(written("\n{ \"a\" : 1 }\n", "a"), "\n{ \"a\" : \"v\" }\n");
    assert_eq!(written("[ 1 ,\n2 ]", "3"), r#"[1,2,null,"v"]"#);
    assert_eq!(written("[ 1 ,\n2 ]", "-1"), "[ 1 ,\n2 ,\"v\"]");
}

#[test]
fn a_number_names_a_member_of_an_object_that_is_there() {
    assert_eq!(
        written(r#"{"a":{"x":0}}"#, "a.1"),
        r#"{"a":{"x":0,"1":"v"}}"#
    );
}

#[test]
fn escaped_dots_belong_to_the_name() {
    assert_eq!(written(r#"{"a.b":1}"#, r"a\.b"), r#"{"a.b":"v"}"#);
}

#[test]
fn values_and_names_are_quoted_as_go_does() {
    let text = |path, value: &str| {
        let json = set(b"{}", path, value.as_bytes()).unwrap();
        String::from_utf8(json).unwrap()
    };

    assert_eq!(text("k", "a<b>&c"), r#"{"k":"a<b>&c"}"#);
    assert_eq!(text("k<", "\u{fc}<"), "{\"k<\":\"\u{fc}\\u003c\"}");
    assert_eq!(text("k", "\"\n"), r#"{"k":"\"\n"}"#);
}

#[test]
fn removing_takes_one_comma_along() {
    assert_eq!(removed(r#"{"a":1,"b":2,"c":3}"#, "a"), r#"{"b":2,"c":3}"#);
    assert_eq!(removed(r#"{"a":1,"b":2,"c":3}"#, "b"), r#"{"a":1,"c":3}"#);
    assert_eq!(removed(r#"{"a":1,"b":2,"c":3}"#, "c"), r#"{"a":1,"b":2}"#);
    assert_eq!(removed(r#"{"a":1}"#, "a"), "{}");
    assert_eq!(
        removed(r#"{"a":{"b":[1,2]}}"#, "a.b.0"),
        r#"{"a":{"b":[2]}}"#
    );
    assert_eq!(removed(r#"{"a":1}"#, "nope.x"), r#"{"a":1}"#);
}

#[test]
fn removing_leaves_white_space_as_sjson_does() {
    let spaced = r#"{ "a": 1 , "b": 2 , "c": 3 }"#;

    assert_eq!(removed(spaced, "a"), r#"{ "b": 2 , "c": 3 }"#);
    assert_eq!(removed(spaced, "b"), r#"{ "a": 1  , "c": 3 }"#);
    assert_eq!(removed(spaced, "c"), r#"{ "a": 1 , "b": 2  }"#);
    assert_eq!(removed(r#"{ "a": 1 }"#, "a"), "{ }");
    assert_eq!(removed("[ 1 , 2 ]", "0"), "[  2 ]");
}

#[test]
fn text_that_is_no_json_is_refused() {
    for json in ["plain", r#"{"a":1"#, r#"{"a" 1}"#, "{\"a", "[1,"] {
        assert_eq!(
            set(json.as_bytes(), "a", b"v"),
            Err(Error::NotJson),
            "{json}"
        );
    }
    assert_eq!(set(b"{}", "", b"v"), Err(Error::EmptyPath));
    assert_eq!(set(b"{}", "a.*", b"v"), Err(Error::Unsupported));
}

#[test]
fn huge_indexes_and_long_paths_are_refused_before_anything_is_made() {
    let chain = |part: &str, times: usize| vec![part; times].join(".");
    let refused = |json: &str, path: &str| set(json.as_bytes(), path, b"v").unwrap_err();

    assert_eq!(refused("", "a.99999999"), Error::IndexTooLarge);
    assert_eq!(refused("", "a.10001"), Error::IndexTooLarge);
    assert_eq!(refused("[1]", "18446744073709551616"), Error::IndexTooLarge);
    assert_eq!(refused("", &chain("999999", 50)), Error::TooLarge);
    assert_eq!(refused("", &chain("10000", 50)), Error::TooLarge);
    assert_eq!(refused("{}", &chain("a", 65)), Error::TooManyParts);
    assert_eq!(refused("{}", &"a.".repeat(100_000)), Error::TooManyParts);
    assert_eq!(refused("{}", &"x".repeat(3 << 20)), Error::TooLarge);
    let many = format!("[{}1]", "1,".repeat(200_000));
    assert_eq!(refused(&many, "0"), Error::TooLarge);
    assert_eq!(
        remove(b"{}", &"a.".repeat(100_000)),
        Err(Error::TooManyParts)
    );
}

#[test]
fn a_long_number_still_names_a_member() {
    assert_eq!(
        written(r#"{"a":1}"#, "123456789012"),
        r#"{"a":1,"123456789012":"v"}"#
    );
    assert_eq!(written("", ":123456789012"), r#"{"123456789012":"v"}"#);
    assert_eq!(written("", "a.10000").len(), 10_000 * 5 + 11);
}

#[test]
fn the_longest_paths_are_written_and_removed_on_a_small_stack() {
    let path = vec!["a"; 64].join(".");
    let work = move || {
        let json = set(b"", &path, b"v").unwrap();
        assert_eq!(remove(&json, &path).unwrap().len(), json.len() - 7);
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work);
    thread.unwrap().join().unwrap();
}
