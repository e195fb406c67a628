//! Running other programs from the workspace root: cargo mostly. A command is shown before it runs,
//! and its failure names it.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use lockstep_testkit::place;
use lockstep_testkit::progress::say;

/// The cargo that started us, working in the workspace root. What it told us about our own package
/// is kept from it: build scripts that look at these variables would run again, and all that depends on
/// them would be compiled twice.
pub(crate) fn cargo() -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.current_dir(place::workspace());
    let ours = ["CARGO_MANIFEST_", "CARGO_PKG_"];
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if ours.iter().any(|start| text.starts_with(start)) {
            command.env_remove(&name);
        }
    }
    command
}

/// Where cargo puts what it builds.
pub(crate) fn target_dir() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => place::workspace().join(dir),
        None => place::workspace().join("target"),
    }
}

/// Shows and runs a command with our own input and output.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = line_of(command);
    say(&format!("$ {line}"));
    let status = command
        .status()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed with {status}");
    }
    Ok(())
}

/// Runs a command quietly and returns what it wrote to standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let line = line_of(command);
    let output = command
        .output()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!(
            "`{line}` failed with {}:\n{}",
            output.status,
            errors.trim_end()
        );
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{line}` wrote no text"))
}

/// A command as a person would type it.
pub(crate) fn line_of(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let name = program
        .file_name()
        .unwrap_or(program.as_os_str())
        .to_owned();
    let words = std::iter::once(name.as_os_str()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
