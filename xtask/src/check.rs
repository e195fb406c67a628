//! `cargo xtask check`: the one gate, as a list of steps that can also be run alone. Every chosen step runs, also after
//! a failure, so that one run shows every problem.

mod files;
mod graph;
mod modules;
mod path;
mod providers;
mod unused;

use std::time::Instant;

use anyhow::{Result, bail};
use clap::ValueEnum;
use lockstep_testkit::place;
use lockstep_testkit::progress::{say, seconds};

use crate::{generate, shell, test};

/// The one gate before a change goes in: format, lints, docs, layout rules, generated files, tests
///
/// With the name of a provider it checks that provider's crate alone: format, lints, docs and
/// tests.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Check only `providers/PROVIDER`
    #[arg(conflicts_with_all = ["only", "skip", "fuzz"])]
    provider: Option<String>,
    /// Only these steps
    #[arg(long, value_delimiter = ',')]
    only: Vec<Step>,
    /// All steps but these
    #[arg(long, value_delimiter = ',', conflicts_with = "only")]
    skip: Vec<Step>,
    /// Also fuzz templates, paths, patterns and documents for a minute
    #[arg(long)]
    fuzz: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// `cargo fmt --check`
    Fmt,
    /// Rules about files and about which crate may depend on which
    Layout,
    /// clippy with warnings denied, with all features and with those of the quickstart
    Clippy,
    /// rustdoc with warnings denied
    Doc,
    /// Generated files are as `cargo xtask generate` would write them
    Generated,
    /// Everything `cargo xtask test` runs
    Test,
    /// A minute of fuzzing; only with `--fuzz` or when named
    Fuzz,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(name) = &args.provider {
        return provider(name);
    }
    let chosen = Step::value_variants().iter().filter(|step| {
        let usual = args.only.is_empty() && **step != Step::Fuzz;
        let asked = **step == Step::Fuzz && args.fuzz;
        !args.skip.contains(step) && (usual || asked || args.only.contains(step))
    });
    all(chosen
        .map(|step| (name_of(*step), Box::new(|| step.run()) as Work<'_>))
        .collect())
}

type Work<'a> = Box<dyn Fn() -> Result<()> + 'a>;

/// Runs every step and fails at the end if any failed.
fn all(steps: Vec<(String, Work<'_>)>) -> Result<()> {
    let mut failed = Vec::new();
    for (name, work) in steps {
        say(&format!("== {name}"));
        let began = Instant::now();
        match work() {
            Ok(()) => say(&format!("== {name}: ok, {}", seconds(began.elapsed()))),
            Err(error) => {
                say(&format!(
                    "== {name}: FAILED, {}\n{error:#}",
                    seconds(began.elapsed())
                ));
                failed.push(name);
            }
        }
    }
    if !failed.is_empty() {
        bail!("check failed: {}", failed.join(", "));
    }
    say("check passed");
    Ok(())
}

impl Step {
    fn run(self) -> Result<()> {
        match self {
            Self::Fmt => shell::run(shell::cargo().args(["fmt", "--all", "--check"])),
            Self::Layout => layout(),
            Self::Clippy => clippy(),
            Self::Doc => doc(&["--workspace"]),
            Self::Generated => generate::check(),
            Self::Test => test::run(&test::Args::all())?.require(),
            Self::Fuzz => fuzz(),
        }
    }
}

fn layout() -> Result<()> {
    let root = place::workspace();
    let mut found = files::problems(root)?;
    found.extend(graph::problems()?);
    found.extend(modules::problems(root)?);
    found.extend(path::problems(root)?);
    found.extend(providers::problems(root)?);
    found.extend(unused::problems(root)?);
    for problem in &found {
        say(&format!("  {problem}"));
    }
    if !found.is_empty() {
        bail!("{} layout problems", found.len());
    }
    Ok(())
}

fn clippy() -> Result<()> {
    let deny = ["--", "--deny", "warnings"];
    let all = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--features",
        "lockstep-testkit/client",
    ];
    shell::run(shell::cargo().args(all).args(deny))?;
    // What the quickstart builds has no cluster support; it must stay clean by itself.
    let small = [
        "clippy",
        "--package",
        "lockstep",
        "--no-default-features",
        "--features",
        "quickstart",
    ];
    shell::run(shell::cargo().args(small).args(deny))
}

fn doc(what: &[&str]) -> Result<()> {
    let mut command = shell::cargo();
    command
        .args(["doc", "--no-deps", "--document-private-items", "--quiet"])
        .args(what);
    shell::run(command.env("RUSTDOCFLAGS", "--deny warnings"))
}

/// Fuzzes each target for a short time; a failure names its seed and the file of the input.
fn fuzz() -> Result<()> {
    let program = [
        "run",
        "--profile",
        "quick",
        "--package",
        "lockstep-fuzz",
        "--",
    ];
    shell::run(shell::cargo().args(program).args(["--seconds", "15"]))
}

fn provider(name: &str) -> Result<()> {
    let folder = place::workspace().join("providers").join(name);
    if !folder.join("Cargo.toml").is_file() {
        bail!("no provider {name:?}: there is no folder providers/{name} with a Cargo.toml");
    }
    let package = format!("lockstep-provider-{name}");
    let cargo = |arguments: &'static [&'static str], rest: &'static [&'static str]| -> Work<'_> {
        let package = package.clone();
        Box::new(move || shell::run(shell::cargo().args(arguments).arg(&package).args(rest)))
    };
    let lint = ["--all-targets", "--", "--deny", "warnings"].as_slice();
    let docs = package.clone();
    all(vec![
        ("fmt".to_owned(), cargo(&["fmt", "--package"], &["--check"])),
        ("clippy".to_owned(), cargo(&["clippy", "--package"], lint)),
        (
            "doc".to_owned(),
            Box::new(move || doc(&["--package", &docs])),
        ),
        ("test".to_owned(), cargo(&["test", "--package"], &[])),
    ])
}

fn name_of(step: Step) -> String {
    step.to_possible_value()
        .map(|value| value.get_name().to_owned())
        .unwrap_or_default()
}
