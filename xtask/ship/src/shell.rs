//! Running other programs from the workspace root. A failure names the command and what it wrote.

use std::process::Command;

use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use lockstep_testkit::place;

/// A program that works in the workspace root.
pub(crate) fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    command.current_dir(place::workspace());
    command
}

/// Runs a command with our own output.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = format!("{command:?}");
    let status = command
        .status()
        .with_context(|| format!("cannot start {line}"))?;
    if !status.success() {
        bail!("{line} failed with {status}");
    }
    Ok(())
}

/// What a command writes, without the last line break.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let line = format!("{command:?}");
    let output = command
        .output()
        .with_context(|| format!("cannot start {line}"))?;
    if !output.status.success() {
        bail!(
            "{line} failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}

/// The commit that is checked out, and its time. `SOURCE_DATE_EPOCH` replaces the time.
pub(crate) fn commit() -> Result<(String, Timestamp)> {
    let git = |format: &str| output(program("git").args(["log", "-1", format]));
    let time = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(time) => time,
        Err(_) => git("--format=%ct")?,
    };
    let time = time
        .parse()
        .context("the time of the commit is not a number")?;
    Ok((git("--format=%H")?, Timestamp::from_second(time)?))
}
