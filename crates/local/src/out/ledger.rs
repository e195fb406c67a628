//! The list of files that lockstep wrote, kept next to them. It holds names only.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::file;
use crate::name::Name;

/// Name of the file.
const FILE: &str = ".lockstep.json";

/// Files by path, with the Secret they belong to.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Ledger {
    files: BTreeMap<String, Entry>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    namespace: String,
    name: String,
}

impl Ledger {
    /// Reads the ledger of a folder; a folder without one has none of our files.
    pub(super) fn read(folder: &Path) -> io::Result<Self> {
        let path = folder.join(FILE);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error),
        };
        let mut ledger: Self = serde_json::from_slice(&text).map_err(|_| {
            let text = format!(
                "{} is damaged, so it is not known which files lockstep wrote; remove it and the \
                 files that are not needed",
                path.display()
            );
            io::Error::new(io::ErrorKind::InvalidData, text)
        })?;
        ledger.files.retain(|path, _| is_inside(path));
        Ok(ledger)
    }

    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(self)?;
        file::write(folder, FILE, &text).map(drop)
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Notes the files of a Secret.
    pub(super) fn claim<'a>(&mut self, name: &Name, paths: impl Iterator<Item = &'a String>) {
        for path in paths {
            let entry = Entry {
                namespace: name.namespace.clone(),
                name: name.name.clone(),
            };
            self.files.insert(path.clone(), entry);
        }
    }

    pub(super) fn forget(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// All files and their Secrets.
    pub(super) fn entries(&self) -> Vec<(String, Name)> {
        let entries = self.files.iter();
        let named = |entry: &Entry| Name::new(&*entry.namespace, &*entry.name);
        entries
            .map(|(path, entry)| (path.clone(), named(entry)))
            .collect()
    }
}

/// Whether a path stays below the folder, whoever wrote it into the ledger.
fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    parts.all(|part| matches!(part, std::path::Component::Normal(_)))
}
