//! Paths that were made to exhaust stack, time or memory, on as much stack as the operator's threads
//! have, in a debug build.

use super::*;

/// Finds a path on a thread of its own; an exhausted stack ends the test process.
fn on_small_stack(json: String, path: String) -> Result<usize, Exceeded> {
    let work = move || find(json.as_bytes(), &path).map(|hit| hit.map_or(0, |hit| hit.raw().len()));
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work);
    thread.unwrap().join().unwrap()
}

fn nested(open: &str, close: &str, depth: usize) -> String {
    format!("{}1{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn a_path_beyond_a_limit_is_no_miss() {
    let long = "a".repeat(20_000);
    let doubling = format!("@this{}", "|[@this,@this]".repeat(64));

    assert_eq!(find(b"{}", &long), Err(Exceeded));
    assert_eq!(find(br#"{"a":1}"#, &doubling), Err(Exceeded));
    assert_eq!(find(b"{}", "a"), Ok(None));
}

#[test]
fn repeated_pieces_do_not_exhaust_the_stack() {
    let documents = [
        nested("[", "]", 500),
        nested("{\"a\":", "}", 500),
        format!("[{}1]", r#"{"a":[1,[2]],"b":"x"},"#.repeat(50)),
    ];
    let pieces = [
        "#.",
        "#|",
        "0.",
        "a.",
        "*.",
        "#(",
        "#(a=",
        "#(#.",
        "#(a)#.",
        "[",
        "[@this,",
        "{",
        "{a:",
        "@dig:",
        "@dig:#.",
        "@this|",
        "[@this]|",
        "{\"x\":@this}|",
        "@flatten|",
        "@reverse|",
        "@group|",
        "@join|",
        "@tostr|",
        "@fromstr|",
        "@pretty|",
        "@values|",
        "@keys|",
        "!1|",
        "..",
        "..#.",
        "[[0],",
        "[#.[",
    ];
    for json in &documents {
        for piece in pieces {
            let path = piece.repeat(budget::MAX_PATH / piece.len());
            let _ = on_small_stack(json.clone(), path.clone());
            let _ = on_small_stack(json.clone(), path + "a");
        }
    }
}

#[test]
fn output_is_bounded_by_the_input() {
    let json = format!("[{}0]", r#"{"a":[1,2,3],"b":"text"},"#.repeat(40_000));
    assert!(json.len() > 900_000);
    let indent = " ".repeat(10_000);
    let copies = format!("[{}@this]", "@this,".repeat(500));
    let paths = [
        copies.clone(),
        format!("#.{copies}"),
        "@this".to_owned() + &"|[@this,@this]".repeat(20),
        "#.#.#.a".to_owned(),
        "@dig:@this".to_owned(),
        "@dig:@dig:@this".to_owned(),
        "@reverse|@flatten|@reverse".to_owned(),
        format!("@pretty:{{\"indent\":\"{indent}\"}}"),
        format!("@pretty:{{\"prefix\":\"{indent}\",\"width\":1000000000}}"),
        "@tostr|@tostr|@tostr|@tostr|@tostr|@tostr".to_owned(),
        "@flatten:{\"deep\":true}|@group".to_owned(),
    ];
    for path in paths {
        let length = on_small_stack(json.clone(), path.clone()).unwrap_or(0);
        assert!(
            length <= 6 << 20,
            "{length} {}",
            &path[..path.len().min(60)]
        );
    }
}

#[test]
fn wildcards_and_numbers_are_counted_as_work() {
    let key = "a".repeat(100_000);
    let keys = format!("{{\"{key}\":1,\"{key}b\":2}}");
    let stars = format!("*{}b*", "a".repeat(15_000));
    let numbers = format!("[{}1]", "1,".repeat(200_000));
    let digits = format!("#(>{})#", "9".repeat(16_000));
    let words = format!(
        "[{}\"\"]",
        format!("\"{}\",", "a".repeat(800)).repeat(1_000)
    );
    let pattern = format!("#(%\"*{}b*\")#", "a".repeat(400));
    for (json, path) in [(keys, stars), (numbers, digits), (words, pattern)] {
        assert_eq!(
            on_small_stack(json, path.clone()),
            Err(Exceeded),
            "{}",
            &path[..9]
        );
    }
}
