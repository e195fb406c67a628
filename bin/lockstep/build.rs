//! Hands the commit to the program: `LOCKSTEP_COMMIT` where it is set (builds without a repository),
//! otherwise what is checked out. A build without either says `unknown`. Hands it the CRDs too,
//! compressed: they are more than a megabyte of text.

use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

/// The CRDs that `lockstep crds` prints.
const CRDS: &str = "../../deploy/crds/bundle.yaml";

fn main() -> io::Result<()> {
    hand_over_commit();
    hand_over_crds()
}

fn hand_over_crds() -> io::Result<()> {
    println!("cargo::rerun-if-changed={CRDS}");
    let folder = env::var_os("OUT_DIR").unwrap_or_default();
    let packed = lz4_flex::compress_prepend_size(&fs::read(CRDS)?);
    fs::write(Path::new(&folder).join("crds.lz4"), packed)
}

fn hand_over_commit() {
    println!("cargo::rerun-if-env-changed=LOCKSTEP_COMMIT");
    let given = env::var("LOCKSTEP_COMMIT").ok();
    let given = given.filter(|commit| !commit.is_empty());
    let commit = given.or_else(checked_out);
    let commit = commit.as_deref().unwrap_or("unknown");
    println!("cargo::rustc-env=LOCKSTEP_COMMIT={commit}");
}

fn checked_out() -> Option<String> {
    // Every commit and checkout appends to this file, in worktrees too.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(words: &[&str]) -> Option<String> {
    let output = Command::new("git").args(words).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (output.status.success() && !text.is_empty()).then(|| text.to_owned())
}
