//! The part of `cargo xtask generate` that needs the API and every provider compiled: it writes the
//! CRDs with the providers' own schemas into a folder, and as templates into the chart's, and the
//! table of providers into their page, or says which files there are stale. A package of its own to keep xtask light.

mod chart;
mod index;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nowhere else to tell it.
            drop(writeln!(std::io::stderr(), "error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [crds, chart, index] => {
            let files = rendered()?;
            let templates = chart::templates(&files)?;
            write(Path::new(crds), files)?;
            write(Path::new(chart), templates)?;
            Ok(fs::write(index, index::page(Path::new(index))?)?)
        }
        ["--check", crds, chart, index] => {
            let files = rendered()?;
            check(Path::new(crds), &files)?;
            check(Path::new(chart), &chart::templates(&files)?)?;
            if fs::read_to_string(index)? != index::page(Path::new(index))? {
                bail!("stale: {index}; run `cargo xtask generate`");
            }
            Ok(())
        }
        _ => bail!("usage: xtask-generate [--check] CRDS CHART-TEMPLATES INDEX"),
    }
}

fn rendered() -> Result<BTreeMap<String, String>> {
    let schemas = lockstep_provider_registry::registry()
        .iter()
        .map(|entry| (entry.name().to_owned(), entry.schema().to_value()))
        .collect();
    Ok(lockstep_api::crds::render(&schemas)?.into_iter().collect())
}

fn write(folder: &Path, files: BTreeMap<String, String>) -> Result<()> {
    fs::create_dir_all(folder)?;
    for surplus in present(folder)?
        .iter()
        .filter(|name| !files.contains_key(*name))
    {
        fs::remove_file(folder.join(surplus))?;
    }
    for (name, text) in files {
        let path = folder.join(name);
        // Untouched files keep their time, so that nothing that includes them is built again.
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn check(folder: &Path, files: &BTreeMap<String, String>) -> Result<()> {
    let mut stale: BTreeSet<_> = present(folder)?
        .into_iter()
        .filter(|name| !files.contains_key(name))
        .collect();
    for (name, text) in files {
        if fs::read_to_string(folder.join(name)).is_ok_and(|old| old == *text) {
            continue;
        }
        stale.insert(name.clone());
    }
    if !stale.is_empty() {
        let names: Vec<_> = stale.into_iter().collect();
        bail!(
            "stale in {}: {}; run `cargo xtask generate`",
            folder.display(),
            names.join(", ")
        );
    }
    Ok(())
}

/// The YAML files in the folder, whoever put them there, but for kustomize's list of them.
fn present(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(names);
    };
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if Path::new(&name)
            .extension()
            .is_some_and(|end| end == "yaml")
            && name != "kustomization.yaml"
        {
            names.push(name);
        }
    }
    Ok(names)
}
