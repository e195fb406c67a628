//! What a property means inside an item: a field by its label, or a file by its name. Pure; texts
//! are upstream's and never show a value.

use lockstep_provider_api::prelude::*;

use crate::item::{File, Item};

/// Label of the field that is meant where no property is given.
pub(crate) const DEFAULT_LABEL: &str = "password";

/// What a property names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted<'a> {
    /// A field by its label; all fields, or the default one, where it is empty.
    Field(&'a str),
    /// A file by its name; all files, or the first one, where it is empty.
    File(&'a str),
}

impl<'a> Wanted<'a> {
    /// What a property names in an item: documents have files, all others fields.
    pub(crate) fn of(item: &Item, property: &'a str) -> Self {
        match Self::told(property) {
            Some(wanted) => wanted,
            None if item.is_document() => Self::File(property),
            None => Self::Field(property),
        }
    }

    /// What a property names by its prefix.
    pub(crate) fn told(property: &'a str) -> Option<Self> {
        let field = property.strip_prefix("field/").map(Self::Field);
        field.or_else(|| property.strip_prefix("file/").map(Self::File))
    }
}

/// The one value of a label.
pub(crate) fn field(item: &Item, label: &str) -> Result<SecretValue> {
    let label = if label.is_empty() {
        DEFAULT_LABEL
    } else {
        label
    };
    let mut fields = item.fields().filter(|field| field.label() == label);
    match (fields.next(), fields.count()) {
        (Some(field), 0) => Ok(field.value()),
        (None, _) => Err(not_one(label, item, 0)),
        (Some(_), more) => Err(not_one(label, item, more + 1)),
    }
}

/// The values of all labels, or of one.
pub(crate) fn fields(item: &Item, label: &str) -> Result<SecretMap> {
    let wanted = item.fields().map(crate::item::Field::label);
    let wanted = wanted.filter(|found| label.is_empty() || *found == label);
    let one = |label: &str| Ok((label.to_owned(), labelled(item, label)?));
    wanted.map(one).collect()
}

/// The one value of a label that may be empty.
pub(crate) fn labelled(item: &Item, label: &str) -> Result<SecretValue> {
    let mut values = item.fields().filter(|field| field.label() == label);
    match (values.next(), values.count()) {
        (Some(field), 0) => Ok(field.value()),
        (first, more) => Err(not_one(label, item, more + usize::from(first.is_some()))),
    }
}

/// The file of a name, or the first one.
pub(crate) fn file<'a>(item: &'a Item, name: &str) -> Result<File<'a>> {
    let mut files = item.files();
    let found = files.find(|file| name.is_empty() || file.name() == name);
    found.ok_or_else(|| {
        Error::invalid_data(format!(
            "error finding 1Password Document: '{}', '{name}'",
            item.title()
        ))
    })
}

fn not_one(label: &str, item: &Item, count: usize) -> Error {
    Error::invalid_data(format!(
        "expected one 1Password ItemField matching: '{label}' in '{}', got {count}",
        item.title()
    ))
}

#[cfg(test)]
mod tests;
