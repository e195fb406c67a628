//! Builds the operator as one static program with musl. Paths of the machine are kept out of it, so that the same sources and
//! compiler give the same bytes in any folder.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use lockstep_testkit::place;

use crate::shell;

/// A processor that images are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Arch {
    Amd64,
    Arm64,
}

impl Arch {
    /// As OCI names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Amd64 => "amd64",
            Self::Arm64 => "arm64",
        }
    }

    /// As Rust names it, with musl.
    fn target(self) -> &'static str {
        match self {
            Self::Amd64 => "x86_64-unknown-linux-musl",
            Self::Arm64 => "aarch64-unknown-linux-musl",
        }
    }

    /// C compilers that find musl's headers, by preference.
    fn compilers(self) -> &'static [&'static str] {
        match self {
            Self::Amd64 => &["x86_64-linux-musl-gcc", "musl-gcc"],
            Self::Arm64 => &["aarch64-linux-musl-gcc"],
        }
    }
}

/// Builds the program with a profile of cargo and says where it is.
pub(crate) fn program(arch: Arch, profile: &str) -> Result<PathBuf> {
    let target = arch.target();
    let installed = shell::output(shell::program("rustup").args(["target", "list", "--installed"]));
    if !installed?.lines().any(|line| line == target) {
        shell::run(shell::program("rustup").args(["target", "add", target]))?;
    }
    let underscored = target.replace('-', "_");
    let prefixes = prefixes()?;
    let joined = |flag: &str| {
        let all = prefixes
            .iter()
            .map(|(from, to)| format!("{flag}={from}={to}"));
        all.collect::<Vec<_>>().join(" ")
    };
    let variable = format!("CARGO_TARGET_{}_RUSTFLAGS", underscored.to_uppercase());
    let mut command = shell::program("cargo");
    command
        .args([
            "build",
            "--locked",
            "--package",
            "lockstep",
            "--target",
            target,
        ])
        .args(["--profile", profile])
        .env(format!("CC_{underscored}"), compiler(arch)?)
        .env(format!("CFLAGS_{underscored}"), joined("-ffile-prefix-map"))
        .env(variable, joined("--remap-path-prefix"));
    if arch == Arch::Arm64 {
        // The linker of the machine knows only its own processor; Rust's knows all.
        let linker = format!("CARGO_TARGET_{}_LINKER", underscored.to_uppercase());
        command.env(linker, "rust-lld");
    }
    shell::run(&mut command)?;
    let folder = if profile == "dev" { "debug" } else { profile };
    let output = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let built = place::workspace().join(output).join(target);
    Ok(built.join(folder).join("lockstep"))
}

/// Folders of this machine, and what stands for them in the program.
fn prefixes() -> Result<Vec<(String, &'static str)>> {
    let cargo = match env::var("CARGO_HOME") {
        Ok(home) => home,
        Err(_) => format!("{}/.cargo", env::var("HOME").context("HOME is not set")?),
    };
    let workspace = place::workspace().display().to_string();
    Ok(vec![(workspace, "/lockstep"), (cargo, "/cargo")])
}

fn compiler(arch: Arch) -> Result<String> {
    let chosen = format!("CC_{}", arch.target().replace('-', "_"));
    if let Ok(chosen) = env::var(chosen.clone()) {
        return Ok(chosen);
    }
    let there = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
    let found = arch.compilers().iter().find(there);
    match found {
        Some(found) => Ok((*found).to_owned()),
        None => bail!(
            "a C compiler for musl on {} is needed: install musl-tools (amd64), or set {chosen}",
            arch.name()
        ),
    }
}
