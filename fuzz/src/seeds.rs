//! Where inputs begin: the recorded conformance cases, and every input that once failed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::target::{SEPARATOR, Target};

/// The folder of the failing inputs of a target; those found are kept in git as seeds.
pub fn failures(target: Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("failures")
        .join(target.name())
}

/// The seeds of a target.
pub fn load(target: Target) -> Result<Vec<Vec<u8>>> {
    let samples = target.samples().iter();
    let mut seeds: Vec<Vec<u8>> = samples.map(|sample| sample.as_bytes().to_vec()).collect();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    for owner in ["golang", "template"] {
        let folder = crates.join(owner).join("tests/conformance");
        for file in files(&folder)? {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(target.name()) && name.ends_with(".jsonl") {
                seeds.extend(cases(target, &file)?);
            }
        }
    }
    for file in files(&failures(target)).unwrap_or_default() {
        seeds.push(fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?);
    }
    Ok(seeds)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("no folder {}", folder.display()))?;
    let mut files = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

fn cases(target: Target, file: &Path) -> Result<Vec<Vec<u8>>> {
    let text = fs::read_to_string(file).with_context(|| format!("no file {}", file.display()))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let case: Value = serde_json::from_str(line)
                .with_context(|| format!("{} holds a line that is no JSON", file.display()))?;
            let field = |name: &str| case[name].as_str().unwrap_or_default().as_bytes().to_vec();
            let two = |first, second| [field(first), vec![SEPARATOR], field(second)].concat();
            Ok(match target {
                Target::Template => field("template"),
                Target::Gjson => two("path", "json"),
                Target::Regexp => two("pattern", "input"),
                Target::Yaml => field("yaml"),
                // These have no recorded cases.
                Target::Json | Target::Jsonpath | Target::Sjson => Vec::new(),
            })
        })
        .collect()
}
