//! Reads objects from folders, files and text for commands that only look at manifests. Splits lists,
//! keeps the place of each object, and goes on after a document that cannot be read.

use std::path::Path;

use serde_json::Value;

use crate::documents::{self, Documents};

/// One object and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// File, line and document.
    pub place: String,
    /// What it says.
    pub value: Value,
}

/// What was read.
#[derive(Debug, Default)]
pub struct Input {
    /// Objects in the order of their places.
    pub objects: Vec<Object>,
    /// Documents that cannot be read, with place and remedy.
    pub faults: Vec<String>,
}

impl Input {
    /// Adds a folder with everything below it, or one file.
    pub fn read(&mut self, path: &Path) -> Result<(), String> {
        let shown = path.display();
        let failed = |error: std::io::Error| format!("{shown} cannot be read: {error}");
        if path.is_dir() {
            self.take(documents::read(path, None).map_err(failed)?);
            return Ok(());
        }
        let text = std::fs::read_to_string(path).map_err(failed)?;
        self.add(&shown.to_string(), &text);
        Ok(())
    }

    /// Adds the documents of a text.
    pub fn add(&mut self, name: &str, text: &str) {
        let mut documents = Documents::default();
        documents.add(name, text);
        self.take(documents);
    }

    fn take(&mut self, documents: Documents) {
        let objects = documents.read.into_iter().map(|document| Object {
            place: document.origin.to_string(),
            value: document.value,
        });
        self.objects.extend(objects);
        let faults = documents.problems.iter().map(ToString::to_string);
        self.faults.extend(faults);
    }
}

/// Parses one YAML document, as Helm reads values.
pub fn value(text: &str) -> Result<Value, String> {
    documents::parse_yaml(text)
}
