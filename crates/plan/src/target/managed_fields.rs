//! What a field manager owns in an object, read from `metadata.managedFields`. Keys that an
//! ExternalSecret wrote earlier and no longer wants are found here and nowhere else; entries of
//! every operation and subresource count.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, ObjectMeta};
use serde_json::Value;

/// A part of an object that holds keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// `data`.
    Data,
    /// `metadata.labels`.
    Label,
    /// `metadata.annotations`.
    Annotation,
    /// `metadata.finalizers`.
    Finalizer,
}

impl Section {
    const KEYED: [Self; 3] = [Self::Data, Self::Label, Self::Annotation];

    fn path(self) -> &'static [&'static str] {
        match self {
            Self::Data => &["f:data"],
            Self::Label => &["f:metadata", "f:labels"],
            Self::Annotation => &["f:metadata", "f:annotations"],
            Self::Finalizer => &["f:metadata", "f:finalizers"],
        }
    }

    /// A byte that tells sections apart in fingerprints.
    pub(super) const fn tag(self) -> u8 {
        match self {
            Self::Data => b'd',
            Self::Label => b'l',
            Self::Annotation => b'a',
            Self::Finalizer => b'f',
        }
    }
}

/// Keys one manager owns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Managed(BTreeSet<(Section, String)>);

impl Managed {
    /// What `manager` owns in an object.
    pub fn by(manager: &str, metadata: &ObjectMeta) -> Self {
        let entries = metadata.managed_fields.iter().flatten();
        let mut owned = Self::default();
        for entry in entries.filter(|entry| entry.manager.as_deref() == Some(manager)) {
            owned.0.extend(keys_of(entry));
        }
        owned
    }

    /// Keys of one section.
    pub fn keys(&self, section: Section) -> impl Iterator<Item = &str> {
        let owned = self.0.iter().filter(move |(of, _)| *of == section);
        owned.map(|(_, key)| key.as_str())
    }

    /// All sections and keys.
    pub fn iter(&self) -> impl Iterator<Item = (Section, &str)> {
        self.0.iter().map(|(section, key)| (*section, key.as_str()))
    }
}

/// Sections and keys one entry names.
fn keys_of(entry: &ManagedFieldsEntry) -> impl Iterator<Item = (Section, String)> {
    let fields = entry.fields_v1.as_ref().map(|fields| &fields.0);
    Section::KEYED.into_iter().flat_map(move |section| {
        let members = fields.and_then(|fields| member(fields, section.path()));
        let keys = members.and_then(Value::as_object).into_iter().flatten();
        // The key `.` stands for the map itself.
        keys.filter_map(move |(key, _)| Some((section, key.strip_prefix("f:")?.to_owned())))
    })
}

fn member<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, name| value.get(name))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::FieldsV1;
    use serde_json::json;

    use super::*;

    fn entry(manager: &str, fields: Value) -> ManagedFieldsEntry {
        ManagedFieldsEntry {
            manager: Some(manager.to_owned()),
            fields_v1: Some(FieldsV1(fields)),
            ..ManagedFieldsEntry::default()
        }
    }

    #[test]
    fn keys_of_all_entries_of_the_manager_are_found_and_no_others() {
        let metadata = ObjectMeta {
            managed_fields: Some(vec![
                entry("me", json!({ "f:data": { ".": {}, "f:a": {} } })),
                entry("you", json!({ "f:data": { "f:b": {} } })),
                entry(
                    "me",
                    json!({ "f:metadata": { "f:labels": { "f:x.y/z": {} } } }),
                ),
            ]),
            ..ObjectMeta::default()
        };

        let owned = Managed::by("me", &metadata);

        assert_eq!(owned.keys(Section::Data).collect::<Vec<_>>(), ["a"]);
        assert_eq!(owned.keys(Section::Label).collect::<Vec<_>>(), ["x.y/z"]);
        assert_eq!(owned.keys(Section::Annotation).count(), 0);
    }

    #[test]
    fn fields_of_an_unknown_shape_own_nothing() {
        let metadata = ObjectMeta {
            managed_fields: Some(vec![entry("me", json!({ "f:data": 1 }))]),
            ..ObjectMeta::default()
        };

        assert_eq!(Managed::by("me", &metadata), Managed::default());
    }
}
