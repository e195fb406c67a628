//! Finds the manifest files of a folder and reads their documents, each for itself: one that
//! cannot be read does not hide the others. Values are JSON from here on; nothing is typed yet.

mod language;
mod split;

use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::lines::Lines;
use super::problem::{OTHERS_ARE_USED, Origin, Problem};
use language::{Language, SyntaxFault};
use split::split;

/// One document of a file.
pub(crate) struct Document {
    /// Where it stands; the line is that of its first content.
    pub(crate) origin: Origin,
    /// What it says.
    pub(crate) value: Value,
    /// Lines of its fields.
    pub(crate) lines: Lines,
}

/// All documents below a folder, and what could not be read.
#[derive(Default)]
pub(crate) struct Documents {
    pub(crate) read: Vec<Document>,
    pub(crate) problems: Vec<Problem>,
    /// Number of manifest files.
    pub(crate) files: usize,
}

/// Reads everything below `folder` but what is below `left_out`. Only the folder itself must be
/// readable; whatever cannot be read inside it is a problem of its own.
pub(crate) fn read(folder: &Path, left_out: Option<&Path>) -> io::Result<Documents> {
    std::fs::read_dir(folder)?;
    let mut search = Search {
        root: folder,
        left_out: left_out.and_then(|path| path.canonicalize().ok()),
        files: Vec::new(),
        documents: Documents::default(),
    };
    search.folder(folder);
    let Search {
        mut files,
        mut documents,
        ..
    } = search;
    files.sort();
    documents.files = files.len();
    for path in files {
        let file = shown(&path, folder);
        match std::fs::read_to_string(&path) {
            Ok(text) => documents.add(&file, &text),
            Err(error) => documents.problems.push(unreadable(file, &error)),
        }
    }
    Ok(documents)
}

/// Collects the manifest files of a folder.
struct Search<'a> {
    root: &'a Path,
    left_out: Option<PathBuf>,
    files: Vec<PathBuf>,
    documents: Documents,
}

impl Search<'_> {
    fn folder(&mut self, folder: &Path) {
        let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        match entries {
            Ok(entries) => entries.iter().for_each(|entry| self.entry(entry)),
            Err(error) => {
                let problem = unreadable(shown(folder, self.root), &error);
                self.documents.problems.push(problem);
            }
        }
    }

    fn entry(&mut self, entry: &DirEntry) {
        let path = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            return;
        }
        // Links to folders are not followed: they may lead in circles.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let is_left_out = self.left_out.is_some() && path.canonicalize().ok() == self.left_out;
            if !is_left_out && !is_helm_templates(&path) {
                self.folder(&path);
            }
        } else if is_manifest(&path) && !path.is_dir() {
            self.files.push(path);
        }
    }
}

/// Whether a folder holds the templates of a Helm chart, which become YAML only when Helm renders them.
fn is_helm_templates(path: &Path) -> bool {
    let is_named_so = path.file_name().is_some_and(|name| name == "templates");
    is_named_so && path.with_file_name("Chart.yaml").is_file()
}

/// A path as messages name it.
fn shown(path: &Path, root: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Whether a file is one that `kubectl apply -f` would take.
pub(crate) fn is_manifest(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| matches!(extension, "yaml" | "yml" | "json"))
}

fn unreadable(file: String, error: &io::Error) -> Problem {
    let remedy = match error.kind() {
        io::ErrorKind::InvalidData => "save it as UTF-8",
        io::ErrorKind::PermissionDenied => "give this user the right to read it",
        _ => "check the file",
    };
    Problem {
        origin: Origin {
            file,
            document: 0,
            line: 0,
        },
        object: None,
        field: None,
        message: format!("cannot be read: {error}"),
        remedy: remedy.to_owned(),
    }
}

impl Documents {
    /// Adds the documents of one file.
    pub(crate) fn add(&mut self, file: &str, text: &str) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (position, part) in split(text).into_iter().enumerate() {
            let Some(first) = part.first_content() else {
                continue;
            };
            let document = position + 1;
            let mut origin = Origin {
                file: file.to_owned(),
                document,
                line: first,
            };
            let language = Language::of(file, part.text);
            match language.parse(part.text) {
                Ok(Value::Null) => {}
                Ok(value) => {
                    let lines = Lines::of(part.text, part.skipped);
                    self.items(Document {
                        origin,
                        value,
                        lines,
                    });
                }
                Err(SyntaxFault { line, message }) => {
                    origin.line = line.map_or(first, |line| line + part.skipped);
                    self.problems.push(Problem {
                        origin,
                        object: None,
                        field: None,
                        message: format!("not valid {language}: {message}"),
                        remedy: format!("fix this document{OTHERS_ARE_USED}"),
                    });
                }
            }
        }
    }

    /// Takes a document; a list counts as its items.
    fn items(&mut self, document: Document) {
        let Document {
            origin,
            mut value,
            lines,
        } = document;
        let is_list = value["apiVersion"] == "v1" && value["kind"] == "List";
        match value.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) if is_list => {
                for (position, value) in items.into_iter().enumerate() {
                    let path = format!("items[{position}]");
                    let line = lines.line(&path).unwrap_or(origin.line);
                    let origin = Origin {
                        line,
                        ..origin.clone()
                    };
                    self.read.push(Document {
                        origin,
                        value,
                        lines: lines.below(&path),
                    });
                }
            }
            items => {
                if let Some(items) = items {
                    value["items"] = items;
                }
                self.read.push(Document {
                    origin,
                    value,
                    lines,
                });
            }
        }
    }
}

/// Parses a text that is one YAML document.
pub(crate) fn parse_yaml(text: &str) -> Result<Value, String> {
    Language::Yaml
        .parse(text)
        .map_err(|fault| match fault.line {
            Some(line) => format!("line {line}: not valid YAML: {}", fault.message),
            None => format!("not valid YAML: {}", fault.message),
        })
}

/// The first line of a message with everything in quotes taken out.
pub(crate) fn without_values(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let mut text = String::new();
    let mut quote = None;
    for letter in line.chars() {
        match quote {
            None => {
                text.push(letter);
                if matches!(letter, '"' | '`') {
                    quote = Some(letter);
                    text.push('…');
                }
            }
            Some(open) if letter == open => {
                text.push(letter);
                quote = None;
            }
            Some(_) => {}
        }
    }
    text
}

#[cfg(test)]
mod tests;
