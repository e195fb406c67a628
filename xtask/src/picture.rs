//! `cargo xtask picture`: runs commands of the program and draws what they print as an SVG picture of a
//! terminal. A test runs the commands again and compares, so the picture cannot show what is not so.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use lockstep_testkit::place;
use lockstep_testkit::progress::say;

use crate::shell;

/// The session, without the name of the program.
const SESSION: [&[&str]; 2] = [
    &["local", "examples/quickstart"],
    &["check", "examples/quickstart"],
];
const FILE: &str = "docs/session.svg";

/// Draw the picture of a terminal session in the README, from a real run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A program that is built already; by default it is built.
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let program = if let Some(path) = &args.program {
        path.clone()
    } else {
        shell::run(shell::cargo().args(["build", "--package", "lockstep"]))?;
        shell::target_dir().join("debug/lockstep")
    };
    let mut lines = Vec::new();
    for words in SESSION {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(format!("$ lockstep {}", words.join(" ")));
        lines.extend(printed(&program, words)?);
    }
    let path = place::workspace().join(FILE);
    std::fs::write(&path, svg(&lines)).with_context(|| format!("write {}", path.display()))?;
    say(&format!("wrote {FILE}"));
    Ok(())
}

/// What a command prints, line by line.
fn printed(program: &Path, words: &[&str]) -> Result<Vec<String>> {
    let output = Command::new(program)
        .args(words)
        .current_dir(place::workspace())
        .output()
        .with_context(|| format!("run {}", program.display()))?;
    if !output.status.success() {
        bail!(
            "{words:?} failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let text = String::from_utf8(output.stdout).context("the output is not UTF-8")?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// Lines of text on a dark ground; commands are brighter than what they print.
fn svg(lines: &[String]) -> String {
    const LEFT: usize = 18;
    const TOP: usize = 34;
    const HEIGHT: usize = 19;
    let columns = lines.iter().map(|line| line.chars().count()).max();
    // A letter of this font is a little under eight pixels wide.
    let width = 2 * LEFT + columns.unwrap_or_default() * 79 / 10;
    let height = TOP + lines.len() * HEIGHT;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#16181d\"/>\n"
    );
    for (row, line) in lines.iter().enumerate() {
        let y = TOP + row * HEIGHT;
        let colour = if line.starts_with("$ ") {
            "#ffffff"
        } else {
            "#b8bec9"
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<text x=\"{LEFT}\" y=\"{y}\" fill=\"{colour}\" xml:space=\"preserve\">{}</text>",
            escaped(line)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_drawn_and_marks_of_xml_are_escaped() {
        let drawn = svg(&["$ a".to_owned(), "<b> & c".to_owned()]);

        assert!(drawn.contains(">$ a</text>"));
        assert!(drawn.contains(">&lt;b&gt; &amp; c</text>"));
    }
}
