//! A Python that can run the case runner: the machine's own, in a virtual environment in the cache
//! with the pinned packages of `tests/cases/requirements.txt`, or of `requirements-clouds.txt` for
//! the clouds' backends. Nothing is installed into the machine's Python.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use lockstep_testkit::place;
use lockstep_testkit::progress::Step;

use crate::shell;

const NO_PYTHON: &str = "Python 3.9 or later is needed for the recorded cases: \
    install it (for example `apt install python3 python3-venv` or `brew install python`) so that `python3` is on the PATH, \
    or leave them out with `cargo xtask test --skip-cluster`";

/// The interpreter to use; the environment is made on first use.
pub(crate) fn ready() -> Result<PathBuf> {
    with("requirements.txt")
}

/// An interpreter that also has the clouds' own clients, for the backends that use them.
pub(crate) fn with_clouds() -> Result<PathBuf> {
    with("requirements-clouds.txt")
}

fn with(file: &str) -> Result<PathBuf> {
    let version = version()?;
    let requirements = place::workspace().join("tests/cases").join(file);
    let wanted = std::fs::read_to_string(&requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let names: Vec<_> = wanted
        .split_whitespace()
        .map(|name| name.replace("==", "-"))
        .collect();
    let folder = place::cache()?.join(format!("python-{version}-{}", names.join("-")));
    let python = folder.join("bin/python");
    let marker = folder.join("complete");
    if !marker.is_file() {
        let step = Step::begin("preparing Python packages for the recorded cases", "5 s");
        make(&folder, &python, &requirements)?;
        std::fs::write(&marker, wanted)?;
        step.done(&format!("{} ready", folder.display()));
    }
    Ok(python)
}

/// `3.11` of the machine's `python3`.
fn version() -> Result<String> {
    let ask =
        "import sys; print('%d.%d' % sys.version_info[:2]); sys.exit(sys.version_info < (3, 9))";
    let found = shell::output(Command::new("python3").args(["-c", ask]));
    found.map(|text| text.trim().to_owned()).context(NO_PYTHON)
}

fn make(folder: &Path, python: &Path, requirements: &Path) -> Result<()> {
    // A half-made environment of an interrupted run is started over.
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    let made = shell::output(Command::new("python3").args(["-m", "venv"]).arg(folder));
    made.context(
        "cannot make a Python environment; \
         on Debian and Ubuntu `apt install python3-venv` adds what is missing",
    )?;
    let mut pip = Command::new(python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--requirement",
    ]);
    if let Err(error) = shell::output(pip.arg(requirements)) {
        drop(std::fs::remove_dir_all(folder));
        bail!(
            "cannot install the case runner's packages ({}): {error:#}",
            requirements.display()
        );
    }
    Ok(())
}
