//! Limits and helpers; what paths find is in the conformance tables.

use super::*;

mod hostile;

#[test]
fn a_simple_path_borrows_from_the_input() {
    let hit = get(br#"{"a":{"b":"text"}}"#, "a.b").unwrap();

    assert!(matches!(hit.raw, std::borrow::Cow::Borrowed(b"\"text\"")));
    assert!(matches!(hit.text, std::borrow::Cow::Borrowed(b"text")));
}

#[test]
fn doubling_paths_find_nothing_instead_of_filling_memory() {
    let path = format!("@this{}", "|[@this,@this]".repeat(64));

    assert_eq!(get(br#"{"a":1}"#, &path), None);
}

#[test]
fn nested_digs_end_soon() {
    let json = format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200));
    let path = "@dig:".repeat(50) + "a";

    let _ = get(json.as_bytes(), &path);
}

#[test]
fn deep_paths_and_deep_json_do_not_exhaust_the_stack() {
    let depth = 20_000;
    let json = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let deep_path = "0.".repeat(depth) + "0";

    assert_eq!(get(json.as_bytes(), &deep_path), None);
    for modifier in ["@pretty", "@ugly", "@valid", "@tostr"] {
        assert!(get(json.as_bytes(), modifier).is_some(), "{modifier}");
    }
    for modifier in ["@flatten:{\"deep\":true}", "@dig:a"] {
        assert_eq!(find(json.as_bytes(), modifier), Err(Exceeded), "{modifier}");
    }
    let _ = get(json.as_bytes(), &"#(".repeat(depth));
    let _ = get(json.as_bytes(), &"#.".repeat(depth));
    let _ = get(json.as_bytes(), &"{".repeat(depth));
    let _ = get(
        json.as_bytes(),
        &format!("{}{}", "[".repeat(depth), "]".repeat(depth)),
    );
}

#[test]
fn escaping_a_component_makes_dots_literal() {
    assert_eq!(escape_component("tls.crt"), "tls\\.crt");
    let hit = get(br#"{"tls.crt":"C"}"#, &escape_component("tls.crt")).unwrap();
    assert_eq!(hit.string(), b"C".as_slice());
}

#[test]
fn debug_output_shows_no_value() {
    let hit = get(br#"{"a":"canary"}"#, "a").unwrap();

    assert_eq!(format!("{hit:?}"), "Hit(String, 8 bytes)");
}

#[test]
fn the_text_of_a_number_is_empty_and_its_string_is_not() {
    let hit = get(br#"{"a":1.50}"#, "a").unwrap();

    assert_eq!(
        (hit.text(), hit.string().as_ref()),
        (b"".as_slice(), b"1.5".as_slice())
    );
}
