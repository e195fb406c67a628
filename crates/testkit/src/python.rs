//! Python packages for tests, in virtual environments in the cache, installed once under a lock.
//! Nothing is installed into the machine's Python.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::place;
use crate::progress::Step;

/// The interpreter of an environment with these packages (`name==version`).
pub fn ready(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let ask =
        "import sys; print('%d.%d' % sys.version_info[:2]); sys.exit(sys.version_info < (3, 9))";
    let version = run(Command::new("python3").args(["-c", ask])).context(
        "Python 3.9 or later is needed for these tests; install it so that `python3` is on the PATH",
    )?;
    let pins: Vec<_> = packages
        .iter()
        .filter_map(|pin| pin.split_once("=="))
        .collect();
    let pins: Vec<_> = pins.iter().map(|(_, version)| *version).collect();
    let folder = format!("{name}-{}-python-{}", pins.join("-"), version.trim());
    let folder = place::cache()?.join(folder);
    let (python, marker) = (folder.join("bin/python"), folder.join("complete"));
    if marker.is_file() {
        return Ok(python);
    }
    fs::create_dir_all(folder.parent().unwrap_or(&folder))?;
    let lock = File::create(folder.with_extension("lock"))?;
    lock.lock().context("cannot lock the cache")?;
    // Another process may have installed it while we waited.
    if !marker.is_file() {
        let step = Step::begin(format!("installing Python packages: {name}"), "30 s");
        install(&folder, &python, packages)?;
        File::create(&marker)?;
        step.done(&format!("{} ready", folder.display()));
    }
    Ok(python)
}

fn install(folder: &Path, python: &Path, packages: &[&str]) -> Result<()> {
    // A half-made environment of an interrupted run is started over.
    if folder.exists() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(folder)).context(
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
    ]);
    run(pip.args(packages)).context("cannot install the packages")?;
    Ok(())
}

fn run(command: &mut Command) -> Result<String> {
    let program = command.get_program().display().to_string();
    let output = command
        .output()
        .with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        bail!(
            "{program} failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
