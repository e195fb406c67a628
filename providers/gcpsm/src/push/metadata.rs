//! `metadata` of a push: labels, annotations, and what is only said when a secret is made.

use lockstep_provider_api::lifecycle::OtherTags;
use lockstep_provider_api::metadata;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::managed::{self, Words};

/// How a secret is written, beside its value.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct PushMetadata {
    annotations: Words,
    labels: Words,
    topics: Vec<String>,
    merge_policy: String,
    cmek_key_name: String,
    replication_location: String,
    replication_locations: Vec<String>,
}

impl PushMetadata {
    pub(super) fn parse(item: &PushItem) -> Result<Self> {
        let parsed: Result<Option<Self>> = metadata::parse(item.metadata.as_ref());
        let parsed =
            parsed.map_err(|error| error.context("failed to parse PushSecret metadata"))?;
        Ok(parsed.unwrap_or_default())
    }

    /// A secret to be made. Regional ones have a place already.
    pub(super) fn new_secret(&self, is_regional: bool) -> Value {
        let labels = managed::marked(Words::new());
        let mut secret = json!({ "labels": labels });
        if !is_regional {
            secret["replication"] = self.replication();
        }
        if !self.topics.is_empty() {
            let topics = self.topics.iter().map(|name| json!({ "name": name }));
            secret["topics"] = topics.collect();
        }
        secret
    }

    fn replication(&self) -> Value {
        let old = std::slice::from_ref(&self.replication_location);
        let locations = match self.replication_locations.as_slice() {
            [] if self.replication_location.is_empty() => &[],
            [] => old,
            locations => locations,
        };
        let encrypted = |mut place: Value| {
            if !self.cmek_key_name.is_empty() {
                place["customerManagedEncryption"] = json!({ "kmsKeyName": self.cmek_key_name });
            }
            place
        };
        if locations.is_empty() {
            return json!({ "automatic": encrypted(json!({})) });
        }
        let replicas = locations.iter();
        let replicas = replicas.map(|location| encrypted(json!({ "location": location })));
        json!({ "userManaged": { "replicas": replicas.collect::<Vec<_>>() } })
    }

    /// Labels and annotations as they should be. `Merge` keeps labels that are there over new ones
    /// and replaces annotations all the same, as upstream has it.
    pub(super) fn words(
        &self,
        labels: &Words,
        annotations: &Words,
        others: OtherTags,
    ) -> (Words, Words) {
        let (mut wanted, mut noted) = self.named(labels);
        if self.is_merged() || others == OtherTags::Keep {
            wanted = joined(labels, wanted);
        }
        if others == OtherTags::Keep {
            noted = joined(annotations, noted);
        }
        (managed::marked(wanted), noted)
    }

    /// Labels and annotations that the push names; `Merge` leaves labels that are there as they are.
    pub(super) fn named(&self, there: &Words) -> (Words, Words) {
        let mut labels = self.labels.clone();
        if self.is_merged() {
            labels.retain(|name, _| !there.contains_key(name));
        }
        (labels, self.annotations.clone())
    }

    /// Whether it says nothing about labels and annotations.
    pub(super) fn names_nothing(&self) -> bool {
        self.labels.is_empty() && self.annotations.is_empty()
    }

    fn is_merged(&self) -> bool {
        self.merge_policy == "Merge"
    }
}

/// What is there, with what is wanted over it.
fn joined(there: &Words, wanted: Words) -> Words {
    let mut all = there.clone();
    all.extend(wanted);
    all
}

#[cfg(test)]
mod tests {
    use lockstep_provider_api::PushTarget;

    use super::*;

    fn parsed(spec: Value) -> Result<PushMetadata> {
        let mut item = PushItem::whole(PushTarget::key("k"), SecretMap::new());
        item.metadata = Some(json!({
            "apiVersion": "kubernetes.external-secrets.io/v1alpha1",
            "kind": "PushSecretMetadata",
            "spec": spec,
        }));
        PushMetadata::parse(&item)
    }

    #[test]
    fn replication_is_automatic_or_as_the_locations_say_and_encrypted_where_a_key_is_named() {
        let key = json!({ "kmsKeyName": "k" });
        let table = [
            (json!({}), json!({ "automatic": {} })),
            (
                json!({ "cmekKeyName": "k" }),
                json!({ "automatic": { "customerManagedEncryption": key } }),
            ),
            (
                json!({ "replicationLocation": "a" }),
                json!({ "userManaged": { "replicas": [{ "location": "a" }] } }),
            ),
            (
                json!({ "replicationLocation": "a", "replicationLocations": ["b", "c"],
                    "cmekKeyName": "k" }),
                json!({ "userManaged": { "replicas": [
                    { "location": "b", "customerManagedEncryption": key },
                    { "location": "c", "customerManagedEncryption": key },
                ] } }),
            ),
        ];

        for (spec, replication) in table {
            let secret = parsed(spec).unwrap().new_secret(false);
            assert_eq!(secret["replication"], replication);
        }
        assert!(parsed(json!({})).unwrap().new_secret(true)["replication"].is_null());
    }

    #[test]
    fn topics_are_set_on_a_new_secret() {
        let secret = parsed(json!({ "topics": ["projects/p/topics/t"] })).unwrap();

        let topics = json!([{ "name": "projects/p/topics/t" }]);
        assert_eq!(secret.new_secret(false)["topics"], topics);
    }

    #[test]
    fn merging_keeps_labels_that_are_there_over_new_ones() {
        let there = Words::from_iter([("a".to_owned(), "old".to_owned())]);
        let spec = json!({ "labels": { "a": "new", "b": "new" } });
        let mut merge = spec.clone();
        merge["mergePolicy"] = "Merge".into();

        let none = Words::new();
        let words = |spec| {
            let metadata = parsed(spec).unwrap();
            metadata.words(&there, &none, OtherTags::Remove).0
        };
        let (replaced, merged) = (words(spec), words(merge));

        assert_eq!(replaced["a"], "new");
        assert_eq!(merged["a"], "old");
        assert_eq!(merged["b"], "new");
        assert!(managed::is_ours(&replaced) && managed::is_ours(&merged));
    }
    #[test]
    fn labels_and_annotations_of_others_stay_where_that_is_asked_for() {
        let word = |name: &str| Words::from_iter([(name.to_owned(), "there".to_owned())]);
        let spec = json!({ "labels": { "a": "new" }, "annotations": { "b": "new" } });
        let metadata = parsed(spec).unwrap();

        let kept = metadata.words(&word("l"), &word("n"), OtherTags::Keep);
        let replaced = metadata.words(&word("l"), &word("n"), OtherTags::Remove);

        assert_eq!((&*kept.0["l"], &*kept.0["a"]), ("there", "new"));
        assert_eq!((&*kept.1["n"], &*kept.1["b"]), ("there", "new"));
        assert!(!replaced.0.contains_key("l") && !replaced.1.contains_key("n"));
    }
}
