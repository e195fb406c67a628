//! The manifest of desired entries: names, documented fields, and where each value comes from. Read
//! by hand and not by a derived parser, because an error of that one would repeat what stands in the
//! place of a wrong field, which may be a value.

use std::path::{Path, PathBuf};

use lockstep_local::source::Input;
use lockstep_toolbox::suggest;
use serde_json::{Map, Value};

/// apiVersion of the manifest.
pub(crate) const API_VERSION: &str = "lockstep/v1";
/// Kind of the manifest.
pub(crate) const KIND: &str = "BackendSecrets";

/// One desired secret.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// Its key at the backend.
    pub(crate) name: String,
    /// What it is for.
    pub(crate) description: Option<String>,
    pub(crate) content: Content,
    /// `metadata.spec` of a push to this backend.
    pub(crate) metadata: Option<Value>,
}

/// What a secret holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// One value.
    Whole(Source),
    /// A JSON object.
    Fields {
        fields: Vec<Field>,
        extra: ExtraFields,
    },
}

/// A member of a JSON object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) source: Source,
}

/// What becomes of members that the manifest does not name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ExtraFields {
    #[default]
    Keep,
    Remove,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// A file, relative to the manifest; `trim` leaves out one final line break.
    File { path: PathBuf, trim: bool },
    /// A variable of the environment.
    Env(String),
    /// Made once, and kept from then on.
    Generator(Generator),
}

/// A generator that asks nobody.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Generator {
    pub(crate) kind: String,
    pub(crate) spec: Value,
    /// Which of its values is meant, where it makes several.
    pub(crate) key: Option<String>,
}

/// Reads manifests. Reports every fault with its place.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<Entry>, Vec<String>> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut faults = Vec::new();
    for path in paths {
        let mut input = Input::default();
        if let Err(text) = input.read(path) {
            faults.push(text);
            continue;
        }
        faults.append(&mut input.faults);
        let folder = path.parent().unwrap_or(Path::new("."));
        for object in &input.objects {
            match document(&object.value, folder) {
                Ok(found) => entries.extend(found),
                Err(text) => faults.push(format!("{}: {text}", object.place)),
            }
        }
    }
    for (at, entry) in entries.iter().enumerate() {
        if entries[..at].iter().any(|other| other.name == entry.name) {
            faults.push(format!("{:?} is desired twice; keep one entry", entry.name));
        }
    }
    if faults.is_empty() {
        Ok(entries)
    } else {
        Err(faults)
    }
}

fn document(value: &Value, folder: &Path) -> Result<Vec<Entry>, String> {
    let fields = object(value, "", &["apiVersion", "kind", "metadata", "secrets"])?;
    for (name, wanted) in [("apiVersion", API_VERSION), ("kind", KIND)] {
        if fields.get(name).and_then(Value::as_str) != Some(wanted) {
            return Err(format!("{name} must be {wanted:?}"));
        }
    }
    let secrets = list(fields, "secrets", "secrets")?;
    let entries = secrets.iter().enumerate();
    entries
        .map(|(at, value)| entry(value, &format!("secrets[{at}]"), folder))
        .collect()
}

fn entry(value: &Value, path: &str, folder: &Path) -> Result<Entry, String> {
    let known = [
        "name",
        "description",
        "value",
        "fields",
        "extraFields",
        "metadata",
    ];
    let fields = object(value, path, &known)?;
    let content = match (fields.get("value"), fields.get("fields")) {
        (Some(whole), None) => {
            if fields.contains_key("extraFields") {
                return Err(format!(
                    "{path}.extraFields: only an entry with fields has it"
                ));
            }
            Content::Whole(source(whole, &format!("{path}.value"), folder)?)
        }
        (None, Some(_)) => Content::Fields {
            fields: members(fields, path, folder)?,
            extra: extra(fields, path)?,
        },
        _ => return Err(format!("{path}: give either value or fields")),
    };
    Ok(Entry {
        name: text(fields, "name", path)?.ok_or_else(|| format!("{path}.name is missing"))?,
        description: text(fields, "description", path)?,
        content,
        metadata: fields.get("metadata").cloned(),
    })
}

fn members(fields: &Map<String, Value>, path: &str, folder: &Path) -> Result<Vec<Field>, String> {
    let mut found: Vec<Field> = Vec::new();
    let place = format!("{path}.fields");
    for (at, value) in list(fields, "fields", &place)?.iter().enumerate() {
        let path = format!("{place}[{at}]");
        let fields = object(value, &path, &["name", "description", "from"])?;
        let name = text(fields, "name", &path)?.ok_or_else(|| format!("{path}.name is missing"))?;
        let from = fields
            .get("from")
            .ok_or_else(|| format!("{path}.from is missing; give file, env or generator"))?;
        if found.iter().any(|other| other.name == name) {
            return Err(format!("{path}.name: {name:?} is there already"));
        }
        found.push(Field {
            name,
            description: text(fields, "description", &path)?,
            source: source(from, &format!("{path}.from"), folder)?,
        });
    }
    if found.is_empty() {
        return Err(format!("{place} is empty"));
    }
    Ok(found)
}

fn extra(fields: &Map<String, Value>, path: &str) -> Result<ExtraFields, String> {
    match text(fields, "extraFields", path)?.as_deref() {
        None | Some("keep") => Ok(ExtraFields::Keep),
        Some("remove") => Ok(ExtraFields::Remove),
        Some(_) => Err(format!("{path}.extraFields must be keep or remove")),
    }
}

fn source(value: &Value, path: &str, folder: &Path) -> Result<Source, String> {
    let fields = object(value, path, &["file", "trim", "env", "generator"]).map_err(|text| {
        format!("{text}; values do not stand in a manifest: give file, env or generator")
    })?;
    let trim = match fields.get("trim") {
        None => false,
        Some(Value::Bool(trim)) => *trim,
        Some(_) => return Err(format!("{path}.trim must be true or false")),
    };
    let file = text(fields, "file", path)?;
    if file.is_none() && fields.contains_key("trim") {
        return Err(format!("{path}.trim: only a file is trimmed"));
    }
    match (file, text(fields, "env", path)?, fields.get("generator")) {
        (Some(file), None, None) => Ok(Source::File {
            path: folder.join(file),
            trim,
        }),
        (None, Some(name), None) => Ok(Source::Env(name)),
        (None, None, Some(value)) => {
            generator(value, &format!("{path}.generator")).map(Source::Generator)
        }
        _ => Err(format!("{path}: give one of file, env and generator")),
    }
}

fn generator(value: &Value, path: &str) -> Result<Generator, String> {
    let fields = object(value, path, &["kind", "spec", "key"])?;
    let kind = text(fields, "kind", path)?.ok_or_else(|| format!("{path}.kind is missing"))?;
    Ok(Generator {
        kind,
        spec: fields.get("spec").cloned().unwrap_or_default(),
        key: text(fields, "key", path)?,
    })
}

/// The fields of an object that has no others than the known ones.
fn object<'a>(
    value: &'a Value,
    path: &str,
    known: &[&str],
) -> Result<&'a Map<String, Value>, String> {
    let place = if path.is_empty() {
        "the document"
    } else {
        path
    };
    let fields = value
        .as_object()
        .ok_or_else(|| format!("{place} must have fields"))?;
    for name in fields.keys() {
        if !known.contains(&name.as_str()) {
            let help = suggest::instead(name, known.iter().copied(), "fields");
            return Err(format!("{place} has no field {name:?}; {help}"));
        }
    }
    Ok(fields)
}

fn list<'a>(
    fields: &'a Map<String, Value>,
    name: &str,
    path: &str,
) -> Result<&'a Vec<Value>, String> {
    let list = fields.get(name).and_then(Value::as_array);
    list.ok_or_else(|| format!("{path} must be a list"))
}

/// A text that is not empty.
fn text(fields: &Map<String, Value>, name: &str, path: &str) -> Result<Option<String>, String> {
    match fields.get(name) {
        None => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(format!("{path}.{name} must be a text")),
    }
}

#[cfg(test)]
mod tests;
