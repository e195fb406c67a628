//! The catalogue as files: `catalogue/AREA/NAME.yaml`, a header and manifests each. Reads and selects;
//! what an entry means is elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use lockstep_testkit::{manifest, place};

use crate::entry::Entry;

/// The catalogue's folder in the workspace.
const FOLDER: &str = "xtask/hostile/catalogue";

/// Every entry, by area and name.
pub(crate) fn all() -> Result<Vec<Entry>> {
    read(&place::workspace().join(FOLDER))
}

/// The entries whose name or area is wanted; all without a wish. A name that matches nothing is an
/// error, so that a misspelt one does not pass.
pub(crate) fn selected(wanted: &[String]) -> Result<Vec<Entry>> {
    let mut entries = all()?;
    for name in wanted {
        if !entries.iter().any(|entry| matches(entry, name)) {
            bail!("no entry or area {name:?}; `cargo xtask hostile --list` shows all");
        }
    }
    if !wanted.is_empty() {
        entries.retain(|entry| wanted.iter().any(|name| matches(entry, name)));
    }
    Ok(entries)
}

fn matches(entry: &Entry, name: &str) -> bool {
    entry.name == name || entry.area == name
}

fn read(folder: &Path) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for area in children(folder)? {
        for file in children(&area)? {
            let entry = one(&area, &file);
            entries.push(entry.with_context(|| file.display().to_string())?);
        }
    }
    Ok(entries)
}

fn one(area: &Path, file: &Path) -> Result<Entry> {
    let mut documents = manifest::read(file)?.into_iter();
    let header = documents.next().context("no header")?;
    let stem = |path: &Path| -> Result<String> {
        let stem = path.file_stem().context("no name")?;
        Ok(stem.to_string_lossy().into_owned())
    };
    Ok(Entry {
        name: stem(file)?,
        area: stem(area)?,
        header: serde_json::from_value(header).context("header")?,
        manifests: documents.collect(),
    })
}

fn children(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<_> = list.map(|child| Ok(child?.path())).collect::<Result<_>>()?;
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::expand::{Words, expand};

    fn words() -> Words {
        ["NS", "URL", "SHARED", "APISERVER", "CA", "TICK", "I"]
            .map(|name| (name.to_owned(), "x".to_owned()))
            .into_iter()
            .chain([("COUNT".to_owned(), "2".to_owned())])
            .collect()
    }

    #[test]
    fn the_catalogue_has_at_least_sixty_entries_with_names_of_their_own() {
        let entries = all().unwrap();
        let names: BTreeSet<_> = entries.iter().map(|entry| &entry.name).collect();

        assert!(entries.len() >= 60, "{}", entries.len());
        assert_eq!(names.len(), entries.len());
    }

    #[test]
    fn every_entry_can_be_expanded_and_has_a_namespace_name_that_fits() {
        for entry in all().unwrap() {
            for object in &entry.manifests {
                expand(object, &words()).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
            }
            assert!(entry.name.len() <= 50, "{}", entry.name);
            assert!(!entry.header.title.is_empty() && !entry.header.gains.is_empty());
        }
    }

    #[test]
    fn a_name_that_matches_nothing_is_an_error() {
        assert!(selected(&["no-such-entry".to_owned()]).is_err());
    }
}
