//! Hands the commit to the program: `LOCKSTEP_COMMIT` where it is set (builds without a repository),
//! otherwise what is checked out. A build without either says `unknown`. Hands it the CRDs too,
//! compressed: they are more than a megabyte of text. Release builds for Linux get linker flags that
//! make the program smaller.

use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

/// The CRDs that `lockstep crds` prints.
const CRDS: &str = "../../deploy/crds/bundle.yaml";

fn main() -> io::Result<()> {
    hand_over_commit();
    shrink();
    hand_over_crds()
}

/// Folds functions with the same code, and packs relative relocations. Only for the linker that Rust brings
/// for this target: others may not know the flags.
fn shrink() {
    let is = |name: &str, wanted: &str| env::var(name).is_ok_and(|value| value == wanted);
    let target = is("TARGET", "x86_64-unknown-linux-gnu") && is("PROFILE", "release");
    let linker = env::var_os("RUSTC_LINKER").is_some()
        || env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("link"));
    if !target || linker {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    if reads_packed_relocations() {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Whether the C library of this machine, on which the program is going to run, is glibc 2.36 or newer.
fn reads_packed_relocations() -> bool {
    let version = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let text = version.map(|output| output.stdout).unwrap_or_default();
    let text = String::from_utf8(text).unwrap_or_default();
    let mut numbers = text.trim().trim_start_matches("glibc ").split('.');
    let mut number = || numbers.next().and_then(|word| word.parse::<u32>().ok());
    number().zip(number()) >= Some((2, 36))
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
