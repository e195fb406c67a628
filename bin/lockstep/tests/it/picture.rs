//! The picture in the README shows what the commands print today.

use std::process::Command;

const PICTURE: &str = include_str!("../../../../docs/session.svg");

/// The lines of the picture.
fn lines() -> Vec<String> {
    let texts = PICTURE.split("<text ").skip(1);
    let lines = texts.map(|text| {
        let (_, rest) = text.split_once('>').unwrap();
        let (line, _) = rest.split_once("</text>").unwrap();
        let line = line.replace("&lt;", "<").replace("&gt;", ">");
        line.replace("&amp;", "&")
    });
    lines.collect()
}

#[test]
fn the_picture_is_what_the_commands_print() {
    let lines = lines();
    let mut commands = 0;
    for (at, line) in lines.iter().enumerate() {
        let Some(command) = line.strip_prefix("$ lockstep ") else {
            continue;
        };
        let ran = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .args(command.split(' '))
            .current_dir(lockstep_testkit::place::workspace())
            .output()
            .unwrap();
        let printed = String::from_utf8(ran.stdout).unwrap();
        let printed: Vec<&str> = printed.lines().collect();
        let drawn: Vec<&str> = lines.iter().skip(at + 1).map(String::as_str).collect();
        assert_eq!(
            printed,
            drawn[..printed.len()],
            "run `cargo xtask picture` again"
        );
        commands += 1;
    }
    assert_eq!(commands, 2);
}
