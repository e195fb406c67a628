//! Everything that recurses over input, on as much stack as the operator's threads have, in a debug
//! build. An exhausted stack ends the test process.

use lockstep_golang::fmt::value_hash;
use lockstep_golang::regexp::{self, Regexp};
use lockstep_golang::{gjson, json, yaml};

fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work);
    thread.unwrap().join().unwrap();
}

/// Uses a tree in every way that recurses, then drops it.
fn exercise(value: &json::Value) {
    let copy = value.clone();
    assert!(copy == *value);
    let text = json::marshal(value);
    assert_eq!(json::marshal_escaped(&copy), text);
    let _ = json::to_bytes(value);
    let _ = value_hash(value);
    let _ = format!("{value:?}").len();
    let other = serde_json::Value::from(value);
    let back = json::Value::from(&other);
    assert_eq!(json::marshal(&back), text);
}

/// The deepest tree that is decoded of this shape.
fn deepest<T>(open: &str, close: &str, decode: impl Fn(&[u8]) -> Option<T>) -> (usize, T) {
    let at = |depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
    let depth = (1..2_000)
        .rev()
        .find(|depth| decode(at(*depth).as_bytes()).is_some());
    let depth = depth.unwrap();
    (depth, decode(at(depth).as_bytes()).unwrap())
}

#[test]
fn the_deepest_json_trees_are_copied_compared_written_and_dropped() {
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}"), (r#"[{"a":"#, "}]")] {
        on_small_stack(move || {
            let (depth, value) = deepest(open, close, |text| json::decode(text).ok());
            assert!(depth >= 200, "{depth}");
            exercise(&value);
        });
    }
}

#[test]
fn the_deepest_yaml_trees_are_read_copied_written_and_dropped() {
    for (open, close) in [
        ("[", "]"),
        ("{a: ", "}"),
        ("[{a: ", "}]"),
        ("- ", ""),
        ("? ", ""),
    ] {
        on_small_stack(move || {
            let (_, value) = deepest(open, close, |text| yaml::decode(text).ok());
            exercise(&value);
        });
    }
    on_small_stack(|| {
        let levels = |count: usize| (0..count).map(|at| format!("{}a:\n", " ".repeat(at)));
        let text: String = levels(1_000).collect();
        assert!(yaml::decode(text.as_bytes()).is_err());
        let text: String = levels(150).collect();
        exercise(&yaml::decode(text.as_bytes()).unwrap());
    });
}

#[test]
fn aliases_that_multiply_are_refused_before_they_take_memory() {
    let laughs = |first: &str, levels: usize, width: usize| {
        let mut text = format!("a0: &a0 {first}\n");
        for at in 1..=levels {
            let below = vec![format!("*a{}", at - 1); width].join(",");
            text.push_str(
                &[
                    "a",
                    &at.to_string(),
                    ": &a",
                    &at.to_string(),
                    " [",
                    &below,
                    "]\n",
                ]
                .concat(),
            );
        }
        text
    };
    let long = "x".repeat(100_000);
    let cases = [
        laughs("[x,x,x,x,x,x,x,x,x,x]", 9, 10),
        laughs(&long, 1, 1_000),
        laughs(&long, 3, 10),
        laughs("{a: 1}", 2, 300),
        format!("a: &a {{k: {long}}}\nb:\n{}", "  - <<: *a\n".repeat(1_000)),
    ];
    for text in cases {
        assert!(text.len() < 200_000);
        assert!(yaml::decode(text.as_bytes()).is_err(), "{}", &text[..40]);
        assert!(yaml::decode_strings(text.as_bytes()).is_err());
    }
}

#[test]
fn repeated_pieces_of_every_language_do_not_exhaust_the_stack() {
    let yaml_pieces = [
        "- ", "? ", "a: ", "[", "{", "{a: ", "[a: ", "&a ", "*a ", "!a ", "- - ", "|", ">", "\"",
        "'", "<<: ", "? - ", "%a\n", "---\n", "\n ", "- [", "*a: ", "? [",
    ];
    let pattern_pieces = [
        "(",
        "(?:",
        "(?i:",
        "(a|",
        "[",
        "[^",
        "\\Q",
        "a*(",
        "(?P<a>",
        "a|",
        "x{2}(",
        "\\pL",
        "()",
        "(?i)",
        "{1}",
        "[[:alpha:]",
        "(a*)*",
    ];
    let json_pieces = [
        "[",
        "{\"a\":",
        "[[",
        "[{\"a\":[",
        "\"\\",
        "[1,",
        "-",
        "{\"a\":1,",
    ];
    on_small_stack(move || {
        for piece in yaml_pieces {
            for size in [2_000, 20_000] {
                let text = piece.repeat(size / piece.len());
                let _ = yaml::decode(text.as_bytes());
                let _ = yaml::decode((text + "a").as_bytes());
            }
        }
        for piece in pattern_pieces {
            for size in [240, 2_000, 60_000, 200_000] {
                let text = piece.repeat(size / piece.len());
                let closed = text.clone() + &")".repeat(size / piece.len());
                let _ = regexp::check(text.as_bytes());
                let _ = regexp::check(closed.as_bytes());
                if size <= 2_000 {
                    let _ = Regexp::new(&closed).map(|regexp| regexp.is_match(b"aaa"));
                }
            }
        }
        for piece in json_pieces {
            let text = piece.repeat(200_000 / piece.len());
            let _ = json::decode(text.as_bytes());
            let _ = json::object_members(text.as_bytes());
            let _ = gjson::valid(text.as_bytes());
        }
    });
}
