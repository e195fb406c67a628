//! The examples of docs/render.md: files are written, commands are run, and what they print must be
//! what the page says.

use std::process::Command;

use crate::folder::Folder;

const PAGE: &str = include_str!("../../../../docs/render.md");

/// A fenced block: its language, its text, and the line of prose before it.
struct Block<'a> {
    language: &'a str,
    text: String,
    before: &'a str,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut before = "";
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let body = lines.by_ref().take_while(|line| *line != "```");
            let text = body.flat_map(|line| [line, "\n"]).collect();
            blocks.push(Block {
                language,
                text,
                before,
            });
        } else if !line.is_empty() {
            before = line;
        }
    }
    blocks
}

#[test]
fn every_example_of_the_page_prints_what_the_page_says() {
    let folder = Folder::with(&[]);
    let mut commands = 0;

    for block in blocks(PAGE) {
        if block.language == "yaml" {
            let name = block.before.trim_matches(['`', ':']);
            folder.write(name, &block.text);
            continue;
        }
        assert_eq!(block.language, "console");
        let (command, expected) = block.text.split_once('\n').unwrap();
        let command = command.strip_prefix("$ ").unwrap();
        let command = command.replace("lockstep ", concat!(env!("CARGO_BIN_EXE_lockstep"), " "));
        let ran = Command::new("sh")
            .args(["-c", &command])
            .current_dir(folder.path("."))
            .output()
            .unwrap();
        let printed = [ran.stdout, ran.stderr].concat();
        assert_eq!(String::from_utf8(printed).unwrap(), expected, "{command}");
        commands += 1;
    }

    assert!(commands >= 5, "only {commands} commands on the page");
}
