//! moto from the Python package index, in a virtual environment in the cache, installed once under a
//! lock. Nothing is installed into the machine's Python.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::VERSION;
use crate::place;
use crate::progress::Step;

/// The server program; it is installed on first use.
pub fn ready() -> Result<PathBuf> {
    if let Some(own) = place::set("MOTO_SERVER") {
        return Ok(own);
    }
    let python = run(Command::new("python3").args([
        "-c",
        "import sys; print('%d.%d' % sys.version_info[:2]); sys.exit(sys.version_info < (3, 9))",
    ]))
    .context("Python 3.9 or later is needed for the AWS tests; install it so that `python3` is on the PATH")?;
    let folder = place::cache()?.join(format!("moto-{VERSION}-python-{}", python.trim()));
    let program = folder.join("bin/moto_server");
    let marker = folder.join("complete");
    if marker.is_file() {
        return Ok(program);
    }
    fs::create_dir_all(folder.parent().unwrap_or(&folder))?;
    let lock = File::create(folder.with_extension("lock"))?;
    lock.lock().context("cannot lock the cache")?;
    // Another process may have installed it while we waited.
    if !marker.is_file() {
        let step = Step::begin("installing moto, the AWS server of the tests", "30 s");
        install(&folder)?;
        File::create(&marker)?;
        step.done(&format!("{} ready", folder.display()));
    }
    Ok(program)
}

fn install(folder: &Path) -> Result<()> {
    // A half-made environment of an interrupted run is started over.
    if folder.exists() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(folder)).context(
        "cannot make a Python environment; \
         on Debian and Ubuntu `apt install python3-venv` adds what is missing",
    )?;
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    run(pip.arg(format!("moto[server]=={VERSION}"))).context("cannot install moto")?;
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
