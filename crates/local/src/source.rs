//! Reads objects from folders, files and text for commands that only look at manifests. Splits lists,
//! keeps the place of each object, and goes on after a document that cannot be read.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::documents::{self, Documents};
use crate::manifests::{Identity, Kind, Manifests};
use crate::name::Name;
use crate::problem::Problem;

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
    /// Documents that cannot be read, with place and remedy; of a strict input also those that an API
    /// server would refuse.
    pub faults: Vec<String>,
    /// The namespace of objects that name none, where the input is strict.
    strict: Option<String>,
    /// Where the objects of earlier folders, files and texts stand, where the input is strict.
    places: BTreeMap<(Kind, Name), String>,
}

impl Input {
    /// An input that also refuses what an API server would: unknown fields, wrong types, an object that is
    /// written twice. Objects that name no namespace get this one.
    pub fn strict(namespace: impl Into<String>) -> Self {
        Self {
            strict: Some(namespace.into()),
            ..Self::default()
        }
    }

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

    fn take(&mut self, mut documents: Documents) {
        let Some(namespace) = self.strict.clone() else {
            let read = documents.read.into_iter();
            self.objects.extend(read.map(|document| Object {
                place: document.origin.to_string(),
                value: document.value,
            }));
            let problems = documents.problems.iter();
            self.faults.extend(problems.map(ToString::to_string));
            return;
        };
        let mut places = BTreeMap::new();
        for document in &mut documents.read {
            // A fault of the name is found again below, with its place.
            let identity = Identity::of(&mut document.value, &namespace);
            if let Ok(Some(Identity { kind, name })) = identity {
                let place = document.origin.to_string();
                if let Some(first) = self.places.get(&(kind, name.clone())) {
                    self.faults.push(format!(
                        "{place}: {} {name}: the same object is also in {first}; keep one of them",
                        kind.as_str()
                    ));
                }
                places.entry((kind, name)).or_insert(place);
            }
        }
        self.places.append(&mut places);
        self.objects
            .extend(documents.read.iter().map(|document| Object {
                place: document.origin.to_string(),
                value: document.value.clone(),
            }));
        let problems = Manifests::of(documents, &namespace).problems;
        let problems = problems.iter().map(Problem::ending_the_command);
        self.faults.extend(problems);
    }
}

/// Parses one YAML document, as Helm reads values.
pub fn value(text: &str) -> Result<Value, String> {
    documents::parse_yaml(text)
}
