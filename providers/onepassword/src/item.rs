//! Items as they stand on the wire. Everything the server sent is kept, so that an update changes
//! nothing but what it means to. Values never reach `Debug`.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lockstep_provider_api::SecretValue;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// An item, whole or as a list has it.
#[derive(Clone, Deserialize, Serialize, PartialEq)]
#[serde(transparent)]
pub(crate) struct Item(Map<String, Value>);

/// A field of an item.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a>(&'a Value);

/// A file of an item.
#[derive(Clone, Copy)]
pub(crate) struct File<'a>(&'a Value);

impl Item {
    /// An item that does not exist yet.
    pub(crate) fn new(title: &str, vault: &str, tags: &[String]) -> Self {
        let mut item = json!({
            "title": title,
            "category": "SERVER",
            "vault": { "id": vault },
            "fields": [],
        });
        if !tags.is_empty() {
            item["tags"] = json!(tags);
        }
        match item {
            Value::Object(members) => Self(members),
            _ => Self(Map::new()),
        }
    }

    /// The item's id.
    pub(crate) fn id(&self) -> &str {
        text(self.0.get("id"))
    }

    /// The item's title.
    pub(crate) fn title(&self) -> &str {
        text(self.0.get("title"))
    }

    /// Id of the vault that holds it.
    pub(crate) fn vault(&self) -> &str {
        text(self.0.get("vault").and_then(|vault| vault.get("id")))
    }

    /// Whether the item is a document, whose value is a file.
    pub(crate) fn is_document(&self) -> bool {
        text(self.0.get("category")) == "DOCUMENT"
    }

    /// Whether the item has a tag.
    pub(crate) fn has_tag(&self, tag: &str) -> bool {
        self.list("tags").iter().any(|one| one == tag)
    }

    /// Its fields.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Field<'_>> {
        self.list("fields").iter().map(Field)
    }

    /// Its files.
    pub(crate) fn files(&self) -> impl Iterator<Item = File<'_>> {
        self.list("files").iter().map(File)
    }

    /// Sets the value of the field at a place, or adds a concealed field.
    pub(crate) fn set_field(&mut self, place: Option<usize>, label: &str, value: &str) {
        self.change("fields", |fields| {
            match place.and_then(|place| fields.get_mut(place)) {
                Some(field) => field["value"] = value.into(),
                None => fields.push(json!({ "label": label, "type": "CONCEALED", "value": value })),
            }
        });
    }

    /// Takes the field at a place out.
    pub(crate) fn remove_field(&mut self, place: usize) {
        self.change("fields", |fields| {
            if place < fields.len() {
                fields.remove(place);
            }
        });
    }

    /// Replaces the tags.
    pub(crate) fn set_tags(&mut self, tags: &[String]) {
        self.0.insert("tags".to_owned(), json!(tags));
    }

    /// Puts the content of the file at a place into the item.
    pub(crate) fn set_content(&mut self, place: usize, content: &SecretValue) {
        self.change("files", |files| {
            if let Some(file) = files.get_mut(place) {
                file["content"] = STANDARD.encode(content.expose()).into();
            }
        });
    }

    /// Whether nothing is left in the item. A section without name and id is none.
    pub(crate) fn is_hollow(&self) -> bool {
        let sections = self.list("sections");
        let nameless = |section: &Value| {
            text(section.get("id")).is_empty() && text(section.get("label")).is_empty()
        };
        let has_sections = match sections {
            [only] => !nameless(only),
            sections => !sections.is_empty(),
        };
        self.list("fields").is_empty() && self.list("files").is_empty() && !has_sections
    }

    fn list(&self, name: &str) -> &[Value] {
        let list = self.0.get(name).and_then(Value::as_array);
        list.map_or(&[], Vec::as_slice)
    }

    /// Changes a list; one that is not there begins empty.
    fn change(&mut self, name: &str, change: impl FnOnce(&mut Vec<Value>)) {
        let mut list = match self.0.remove(name) {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        };
        change(&mut list);
        self.0.insert(name.to_owned(), Value::Array(list));
    }
}

impl<'a> Field<'a> {
    /// Its label.
    pub(crate) fn label(self) -> &'a str {
        text(self.0.get("label"))
    }

    /// Its value.
    pub(crate) fn value(self) -> SecretValue {
        SecretValue::from(text(self.0.get("value")))
    }
}

impl<'a> File<'a> {
    /// Its name.
    pub(crate) fn name(self) -> &'a str {
        text(self.0.get("name"))
    }

    /// Path of its content at the server.
    pub(crate) fn path(self) -> &'a str {
        text(self.0.get("content_path"))
    }

    /// The content, where it came with the item.
    pub(crate) fn content(self) -> Option<SecretValue> {
        let encoded = self.0.get("content")?.as_str()?;
        STANDARD.decode(encoded).ok().map(SecretValue::new)
    }
}

impl fmt::Debug for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Item").field(&self.title()).finish()
    }
}

fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}
