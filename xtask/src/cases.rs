//! The recorded operator cases (`tests/cases`): which areas count today, and one run of them
//! against a binary. The runner itself is Python; here it is only called and its result read.

mod hosts;
pub(crate) mod python;
mod redirected;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use lockstep_testkit::controlplane::{CRDS, Cluster, ControlPlane};
use lockstep_testkit::place;
use lockstep_testkit::progress::say;
use lockstep_testkit::{bao, moto};

use crate::shell;
use crate::test::tally::Tally;

const FOLDER: &str = "tests/cases";

/// How many cases run at once. A case mostly waits: for what it sees to hold, and for time to pass.
const JOBS: &str = "12";

/// Runs only the recorded cases: what the original operator did, against a binary of your choice
///
/// A case that fails is shown with what was expected and what is. The cases are described in
/// tests/cases/README.md.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The operator binary [default: ours, built now]
    #[arg(long, value_name = "PATH")]
    operator: Option<PathBuf>,
    /// Only cases whose name contains this, for example `es-data/property`
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only these areas [default: those listed in tests/cases/areas]
    #[arg(long, value_name = "AREA", value_delimiter = ',')]
    area: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<Tally> {
    let operator = if let Some(path) = &args.operator {
        let found = path.canonicalize();
        found.with_context(|| format!("no operator at {}", path.display()))?
    } else {
        shell::run(shell::cargo().args(["build", "--package", "lockstep"]))?;
        shell::target_dir().join("debug/lockstep")
    };
    let areas = if args.area.is_empty() {
        current_areas()?
    } else {
        args.area.clone()
    };
    let filter = args.filter.as_deref();
    if redirected::is_inside() {
        return redirected::inside(&operator, areas, filter);
    }
    let (far, areas) = split(areas);
    let mut tally = Tally::default();
    if !areas.is_empty() {
        let python = python::ready()?;
        let plane = ControlPlane::start(None)?;
        let run = Run {
            python: &python,
            operator: &operator,
            cluster: &plane,
            filter,
            areas,
        };
        tally += run.go()?;
    }
    if !far.is_empty() {
        tally += redirected::run(&operator, &far, filter)?;
    }
    Ok(tally)
}

/// Runs everything that the operator must pass today; what needs no network of its own runs on the
/// cluster that is there.
pub(crate) fn current(
    python: &Path,
    operator: &Path,
    cluster: &Cluster,
    filter: Option<&str>,
) -> Result<Tally> {
    let (far, areas) = split(current_areas()?);
    let run = Run {
        python,
        operator,
        cluster,
        filter,
        areas,
    };
    let tally = run.go()?;
    if far.is_empty() {
        return Ok(tally);
    }
    Ok(tally + redirected::run(operator, &far, filter)?)
}

/// Areas that need names which lead elsewhere, and all others.
fn split(areas: Vec<String>) -> (Vec<String>, Vec<String>) {
    let areas = areas.into_iter();
    areas.partition(|area| redirected::is_redirected(area))
}

/// The areas that the operator must pass today, from `tests/cases/areas`.
pub(crate) fn current_areas() -> Result<Vec<String>> {
    let lines = lines_of_areas()?.into_iter();
    Ok(lines.filter(|line| !line.starts_with('!')).collect())
}

/// Kinds of objects whose controllers are still missing: `!Kind` in `tests/cases/areas`.
fn left_out() -> Result<Vec<String>> {
    let lines = lines_of_areas()?.into_iter();
    let kinds = lines.filter_map(|line| line.strip_prefix('!').map(|kind| kind.trim().to_owned()));
    Ok(kinds.collect())
}

/// The lines of `tests/cases/areas` without comments.
fn lines_of_areas() -> Result<Vec<String>> {
    let path = place::workspace().join(FOLDER).join("areas");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    Ok(lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect())
}

/// One run of the case runner.
pub(crate) struct Run<'a> {
    /// A Python that has what the runner imports.
    pub(crate) python: &'a Path,
    /// The binary under test.
    pub(crate) operator: &'a Path,
    /// Where it runs.
    pub(crate) cluster: &'a Cluster,
    /// Only cases whose name contains this.
    pub(crate) filter: Option<&'a str>,
    /// Only these areas.
    pub(crate) areas: Vec<String>,
}

impl Run<'_> {
    /// Runs the cases and counts them.
    pub(crate) fn go(&self) -> Result<Tally> {
        let log = shell::target_dir().join("cases-operator.log");
        drop(std::fs::remove_file(&log));
        say(&format!(
            "recorded cases of {} against {} (its log: {})",
            self.areas.join(", "),
            self.operator.display(),
            log.display()
        ));
        follow(&mut self.command(&log)?)
    }

    fn command(&self, log: &Path) -> Result<Command> {
        let root = place::workspace();
        let mut command = Command::new(self.python);
        command
            .current_dir(root)
            .arg(root.join(FOLDER).join("run.py"))
            .arg("--bin")
            .arg(self.operator)
            .arg("--kubeconfig-admin")
            .arg(self.cluster.admin_kubeconfig())
            .arg("--kubeconfig-operator")
            .arg(self.cluster.operator_kubeconfig())
            .arg("--crds")
            .arg(root.join(CRDS))
            .arg("--log")
            .arg(log)
            .args(["--jobs", JOBS])
            .args(self.areas.iter().flat_map(|area| ["--area", area]))
            .args(self.filter.iter().flat_map(|filter| ["--filter", filter]));
        for kind in left_out()? {
            command.args(["--leave-out", &kind]);
        }
        if self.areas.iter().any(|area| area.starts_with("aws-")) {
            command.env("MOTO_SERVER", moto::ready()?);
        }
        let is_vault = |area: &String| matches!(area.as_str(), "vault" | "openbao");
        if self.areas.iter().any(is_vault) {
            command.env("BAO", bao::ready()?);
        }
        if redirected::is_inside() && self.areas.iter().any(|area| redirected::is_cloud(area)) {
            redirected::servers(&mut command)?;
        }
        Ok(command)
    }
}

/// Runs the case runner, shows what it says and reads its result.
fn follow(command: &mut Command) -> Result<Tally> {
    let program = command.get_program().display().to_string();
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let mut tally = None;
    let mut failures = Tally::default();
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines() {
            let line = line?;
            failures.note(&line);
            // The closing line is for us; it appears in the sum of everything.
            match Tally::of_line(&line) {
                Some(result) => tally = Some(result),
                None => say(&line),
            }
        }
    }
    let status = child.wait()?;
    match tally {
        Some(tally) if status.success() || tally.failed > 0 => Ok(tally + failures),
        _ => {
            let what = format!("the case runner ended with {status} before its summary");
            say(&what);
            Ok(tally.unwrap_or_default() + failures + Tally::failure(&what))
        }
    }
}
