//! `cargo xtask picture`: runs commands of the program and draws what they print as SVG pictures of a
//! terminal. A test runs the commands of the session again and compares, so that picture cannot show what
//! is not so; the others show times and hashes of the run they come from.

mod demo;
mod svg;
mod terminal;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use lockstep_testkit::place;
use lockstep_testkit::progress::say;

use crate::shell;
use demo::Demo;
use terminal::Line;

/// The session, without the name of the program.
const SESSION: [&[&str]; 2] = [
    &["local", "examples/quickstart"],
    &["check", "examples/quickstart"],
];

/// Draw the pictures of terminals in README and docs, from real runs.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A program that is built already; by default it is built.
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,

    /// The pictures to draw; those but `session` need a cluster, which is started.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values = ["session", "explain", "plan", "top"])]
    only: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let program = if let Some(path) = &args.program {
        path.clone()
    } else {
        shell::run(shell::cargo().args(["build", "--package", "lockstep"]))?;
        shell::target_dir().join("debug/lockstep")
    };
    let wants = |name: &str| args.only.iter().any(|only| only == name);
    if wants("session") {
        write("session", &session(&program)?)?;
    }
    if !["explain", "plan", "top"].iter().any(|name| wants(name)) {
        return Ok(());
    }
    let demo = Demo::start(&program)?;
    if wants("explain") {
        write("explain", &demo.explain()?)?;
    }
    if wants("plan") {
        write("plan", &demo.plan()?)?;
    }
    if wants("top") {
        write("top", &demo.top()?)?;
    }
    Ok(())
}

fn write(name: &str, lines: &[Line]) -> Result<()> {
    let file = format!("docs/{name}.svg");
    let path = place::workspace().join(&file);
    std::fs::write(&path, svg::draw(lines)).with_context(|| format!("write {}", path.display()))?;
    say(&format!("wrote {file}"));
    Ok(())
}

fn session(program: &Path) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for words in SESSION {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(terminal::typed(&format!("lockstep {}", words.join(" "))));
        let printed = printed(program, words)?;
        lines.extend(printed.lines().map(terminal::plain));
    }
    Ok(lines)
}

/// What a command prints.
fn printed(program: &Path, words: &[&str]) -> Result<String> {
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
    String::from_utf8(output.stdout).context("the output is not UTF-8")
}
