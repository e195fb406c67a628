//! The table of all providers in `docs/providers/README.md`. Capabilities come from the code, for the
//! store in `examples/`; pages are those that name `spec.provider.KEY`. Prose is written by hand around
//! the markers.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use lockstep_provider_api::Capabilities;
use serde_json::Value;

const BEGIN: &str = "<!-- generated: begin -->\n";
const END: &str = "<!-- generated: end -->\n";
const HEAD: &str = "| `spec.provider` | Reads | Finds by | Pushes | Deletes | Versions | Page |\n\
                    |---|---|---|---|---|---|---|\n";

/// The page with the present table.
pub(crate) fn page(path: &Path) -> Result<String> {
    let old =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let parts = old.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let Some((before, after)) = parts else {
        bail!("{} has no markers for the table", path.display());
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    Ok(format!("{before}{BEGIN}{}{END}{after}", table(folder)?))
}

fn table(pages: &Path) -> Result<String> {
    let stores = stores(Path::new("examples"))?;
    let mut rows: Vec<(String, String)> = Vec::new();
    for entry in lockstep_provider_registry::registry() {
        let name = entry.name();
        let spec = stores.iter().find_map(|store| store.get(name));
        let can = match spec {
            Some(spec) => {
                let can = entry.capabilities(spec);
                can.map_err(|error| anyhow::anyhow!("the example of {name}: {error}"))?
            }
            None => Capabilities::NONE,
        };
        let page = page_of(pages, name)?;
        rows.push((name.to_owned(), row(name, spec.is_some(), &can, page)));
    }
    rows.sort();
    let rows: String = rows.into_iter().map(|(_, row)| row).collect();
    Ok(format!("{HEAD}{rows}"))
}

fn row(name: &str, known: bool, can: &Capabilities, page: Option<String>) -> String {
    if !known {
        return format!(
            "| `{name}` | as the store says | | | | | {} |\n",
            link(page)
        );
    }
    let word = |can: bool| if can { "yes" } else { "–" };
    let ways = [
        (can.find_by_name, "name"),
        (can.find_by_path, "path"),
        (can.find_by_tags, "tags"),
    ];
    let ways: Vec<&str> = ways
        .into_iter()
        .filter_map(|(can, way)| can.then_some(way))
        .collect();
    let ways = if ways.is_empty() {
        "–".to_owned()
    } else {
        ways.join(", ")
    };
    let mut row = String::new();
    let _ = writeln!(
        row,
        "| `{name}` | {} | {ways} | {} | {} | {} | {} |",
        word(can.read),
        word(can.write),
        word(can.delete),
        word(can.versions),
        link(page)
    );
    row
}

fn link(page: Option<String>) -> String {
    page.map_or_else(String::new, |page| format!("[{page}]({page})"))
}

/// The page that describes a provider.
fn page_of(pages: &Path, name: &str) -> Result<Option<String>> {
    let mark = format!("`spec.provider.{name}`");
    for path in files(pages)? {
        let file = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if file != "README.md" && fs::read_to_string(&path)?.contains(&mark) {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// `spec.provider` of every store among the examples.
fn stores(examples: &Path) -> Result<Vec<Value>> {
    let mut found = Vec::new();
    for folder in files(examples)?.into_iter().filter(|path| path.is_dir()) {
        for file in files(&folder)? {
            if file.extension().is_none_or(|end| end != "yaml") {
                continue;
            }
            let text = fs::read_to_string(&file)?;
            for document in text.split("\n---") {
                let object: Value = serde_saphyr::from_str(document)
                    .map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
                if let Some(provider) = object.pointer("/spec/provider") {
                    found.push(provider.clone());
                }
            }
        }
    }
    Ok(found)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}
