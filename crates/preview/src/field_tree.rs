//! Sets of fields as trees of their names, read from `metadata.managedFields` or from a manifest. A name
//! with nothing below it stands for everything below it: a word, a list, or a map that is set as a whole.

use std::collections::BTreeMap;

use serde_json::Value;

/// Fields by name; without any the whole value is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldTree(BTreeMap<String, Self>);

impl FieldTree {
    /// The fields of an entry of `managedFields`.
    pub(crate) fn of_entry(fields: &Value) -> Option<Self> {
        let members = fields.as_object().filter(|members| !members.is_empty());
        members.and_then(|_| Self::of_fields(fields))
    }

    fn of_fields(fields: &Value) -> Option<Self> {
        let members = fields.as_object()?;
        let mut tree = BTreeMap::new();
        for (name, below) in members {
            match name.strip_prefix("f:") {
                Some(name) => {
                    tree.extend(Self::of_fields(below).map(|below| (name.to_owned(), below)));
                }
                // The map itself without what is in it.
                None if name == "." => {}
                // Items of a list: an apply replaces it as a whole.
                None => return Some(Self::default()),
            }
        }
        (!tree.is_empty() || members.is_empty()).then_some(Self(tree))
    }

    /// The fields that a manifest has. An empty map sets none: kubectl notes one for annotations.
    pub(crate) fn of_manifest(value: &Value) -> Option<Self> {
        let Value::Object(members) = value else {
            return Some(Self::default());
        };
        let members = members
            .iter()
            .filter_map(|(name, below)| Some((name.clone(), Self::of_manifest(below)?)));
        let tree: BTreeMap<_, _> = members.collect();
        (!tree.is_empty()).then_some(Self(tree))
    }

    /// What of the set is below a field; `None` for nothing.
    pub(crate) fn below(&self, name: &str) -> Option<&Self> {
        if self.0.is_empty() {
            return Some(self);
        }
        self.0.get(name)
    }

    /// Takes in another set.
    pub(crate) fn add(&mut self, other: Self) {
        if other.0.is_empty() {
            self.0.clear();
        } else if !self.0.is_empty() {
            for (name, below) in other.0 {
                match self.0.get_mut(&name) {
                    Some(own) => own.add(below),
                    None => {
                        self.0.insert(name, below);
                    }
                }
            }
        }
    }
}

/// Takes a set into one that may be empty.
pub(crate) fn extend(set: &mut Option<FieldTree>, more: Option<FieldTree>) {
    match (set.as_mut(), more) {
        (Some(set), Some(more)) => set.add(more),
        (None, more) => *set = more,
        (Some(_), None) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_found_by_their_names_and_lists_as_a_whole() {
        let entry = json!({
            "f:metadata": {"f:labels": {".": {}, "f:team": {}}, "f:finalizers": {"v:\"x\"": {}}},
            "f:spec": {"f:data": {}},
        });

        let tree = FieldTree::of_entry(&entry).unwrap();

        let metadata = tree.below("metadata").unwrap();
        let labels = metadata.below("labels").unwrap();
        assert!(labels.below("team").is_some());
        assert_eq!(labels.below("app"), None);
        assert!(metadata.below("finalizers").unwrap().below("x").is_some());
        assert!(tree.below("spec").unwrap().below("data").is_some());
    }

    #[test]
    fn a_map_without_its_members_and_an_empty_entry_are_nothing() {
        let entry = json!({"f:metadata": {"f:labels": {".": {}}}});

        assert_eq!(FieldTree::of_entry(&entry), None);
        assert_eq!(FieldTree::of_entry(&json!({})), None);
    }

    #[test]
    fn a_union_has_the_fields_of_both_and_a_whole_value_covers_its_fields() {
        let of = |manifest| FieldTree::of_manifest(&manifest);
        let mut both = of(json!({"a": {"b": 1}, "c": {"d": 1}}));

        extend(&mut both, of(json!({"a": {"e": 1}, "c": 1, "f": {}})));

        let both = both.unwrap();
        let a = both.below("a").unwrap();
        assert!(a.below("b").is_some() && a.below("e").is_some());
        assert!(both.below("c").unwrap().below("anything").is_some());
        assert_eq!(both.below("f"), None, "an empty map sets nothing");
    }
}
