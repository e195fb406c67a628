//! Paths that were made to exhaust stack, time or memory. Each runs on a thread with as much stack as
//! the operator's threads have, in a debug build.

use std::time::{Duration, Instant};

use super::*;

const STACK: usize = 2 << 20;

/// Runs on a thread of its own; an exhausted stack ends the test process.
fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    thread.unwrap().join().unwrap()
}

/// What a path gives for a document, read and dropped on a small stack.
fn outcome(path: String, document: &'static str) -> Result<Value, PathError> {
    on_small_stack(move || get(&path, &decode(&document.into()).unwrap()))
}

/// A document of about a megabyte: many small objects and lists.
fn megabyte() -> Value {
    let element = r#"{"a":[1,[2,{"a":3}],"some text of a real length","more text"],"b":"of the length of a name"}"#;
    let text = format!("[{}]", vec![element; 11_000].join(","));
    assert!(text.len() > 1_000_000);
    decode(&text.as_str().into()).unwrap()
}

#[test]
fn long_chains_and_deep_nesting_are_refused() {
    let n = 10_000;
    let paths = [
        "-".repeat(n) + "1",
        "1".to_owned() + &"==1".repeat(n),
        "1".to_owned() + &"!=1".repeat(n),
        "$".to_owned() + &"($)".repeat(n),
        "$".to_owned() + &"[?($".repeat(n),
        "$".to_owned() + &"[".repeat(n),
        "$".to_owned() + &"[$".repeat(n) + &"]".repeat(n),
        "$".to_owned() + &"..*".repeat(n),
        "$".to_owned() + &".a".repeat(n),
        "$[".to_owned() + &"'a',".repeat(n) + "'a']",
        "(".repeat(n),
        "$".to_owned() + &"[:".repeat(n),
    ];
    for path in paths {
        let length = path.len();
        assert_eq!(outcome(path, "{}").unwrap_err(), PathError::TooLong(length));
    }
}

#[test]
fn paths_of_the_longest_length_do_not_exhaust_the_stack() {
    let pieces = [
        "-", "1==", "1!=", "($)", "[?($", "[", "[$", "..*", ".a", "[0]", "(", "[:", "[0:", "(-1==",
        "[?(@==", "$..[?(", "((1)==", "['a',", "..['a']", "[?(@.a==",
    ];
    for piece in pieces {
        for start in ["", "$", "1"] {
            for end in ["", "1", "$", ")", "]"] {
                let times = (parse::MAX_LENGTH - 2) / piece.len();
                let path = format!("{start}{}{end}", piece.repeat(times));
                let _ = outcome(path, r#"{"a":{"a":[[[{"a":1}]]]}}"#);
            }
        }
    }
}

#[test]
fn the_largest_paths_that_are_taken_are_followed_on_a_small_stack() {
    let nested = "$".to_owned() + &"[?(@".repeat(30) + &")]".repeat(30);
    let scripts = "$".to_owned() + &"($)".repeat(250);
    let chain = "1".to_owned() + &"==1".repeat(64);
    let signs = "-".repeat(64) + "1";
    let steps = "$".to_owned() + &".a".repeat(250);
    let descents = "$".to_owned() + &"..*".repeat(120);
    let indexes = "$".to_owned() + &"[@".repeat(60) + &"]".repeat(60);
    let unions = format!("$[{}'a']", "'a',".repeat(250));
    let copies = "$".to_owned() + &"(1==1)".repeat(50);
    for path in [
        nested, scripts, chain, signs, steps, descents, indexes, unions, copies,
    ] {
        assert!(path.len() <= parse::MAX_LENGTH, "{path}");
        let result = outcome(path.clone(), r#"{"a":{"a":[[[{"a":1}]]]}}"#);
        assert!(
            !matches!(result, Err(PathError::Syntax(..) | PathError::TooLong(_))),
            "{path}: {result:?}"
        );
    }
}

#[test]
fn numbers_of_steps_and_operators_are_limited() {
    let refused = |path: String| outcome(path, "{}").unwrap_err().to_string();

    assert!(refused("$".to_owned() + &".a".repeat(300)).contains("more than 256 steps"));
    assert!(refused("$".to_owned() + &"($)".repeat(300)).contains("more than 256 steps"));
    assert!(refused("-".repeat(65) + "1").contains("more than 64 operators"));
    assert!(refused("1".to_owned() + &"==1".repeat(65)).contains("more than 64 operators"));
    assert!(refused("(".repeat(100)).contains("nested too deep"));
}

#[test]
fn a_deep_document_is_read_compared_and_dropped_on_a_small_stack() {
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        let text = format!("{}1{}", open.repeat(400), close.repeat(400));
        on_small_stack(move || {
            let document = decode(&text.as_str().into()).unwrap();
            for path in ["$..*", "$..a", "$..[?(@ == $)]", "$[?($ == $)]", "($ == $)"] {
                let _ = get(path, &document);
            }
            let copy = get("$", &document).unwrap();
            assert_eq!(marshal(&copy), text);
        });
    }
}

#[test]
fn everything_below_a_megabyte_is_not_copied() {
    let document = megabyte();
    let value = |path: &str| first(path, &document, |found| matches!(found, Found::List(_)));

    // The first place is all that counts.
    assert_eq!(value("$..*"), Ok(true));
    assert_eq!(value("$..[?(@.a)]"), Ok(true));
    assert_eq!(get("$..*", &document), Err(PathError::TooMany));
}

#[test]
fn paths_that_multiply_run_out_of_budget_in_time() {
    let document = megabyte();
    let keys = vec!["'a'"; 80].join(",");
    let paths = [
        "$..*..*..*..*[?(@.nope)].x".to_owned(),
        "$..[?($ == $)].x".to_owned(),
        "$[?($..* == 1)].x".to_owned(),
        "$[?($..[?($..* == 1)] == 1)].x".to_owned(),
        format!("$..[{keys}][{keys}][{keys}].x"),
        "$[0:][?($[0:] == $[1:])].x".to_owned(),
        "$($..*)($..*)..x".to_owned(),
        "$[*][?($[*] == $[*])].x".to_owned(),
    ];
    for path in paths {
        let began = Instant::now();
        let found = first(&path, &document, |_| ());
        assert_eq!(found, Err(PathError::TooMany), "{path}");
        assert!(began.elapsed() < Duration::from_secs(10), "{path}");
    }
}
