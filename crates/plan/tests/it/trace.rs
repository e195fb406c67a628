//! What a run did, as a document that a person can read and a case can keep.

use k8s_openapi::api::core::v1::Secret;
use lockstep_plan::external_secret::{Decision, FetchList, Read, Report, Source};
use serde_json::{Map, Value, json};

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Trace(Map<String, Value>);

impl Trace {
    pub(crate) fn document(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Whether anything was written but status and events.
    pub(crate) fn writes(&self) -> bool {
        self.0.contains_key("writes")
    }

    /// Whether anything was read from a store.
    pub(crate) fn reads(&self) -> bool {
        self.0.contains_key("reads")
    }

    pub(crate) fn status(&self) -> Option<&Value> {
        self.0.get("status")
    }

    pub(crate) fn events(&self) -> Option<&Value> {
        self.0.get("events")
    }

    pub(crate) fn decided(&mut self, decision: &Decision) {
        self.0
            .insert("decision".to_owned(), json!(format!("{decision:?}")));
    }

    pub(crate) fn read(&mut self, list: &FetchList) {
        let reads = list.items.iter().map(|item| match &item.source {
            Source::Store { key, read } => {
                let what = match read {
                    Read::Value(reference) => format!("value {}", reference.key),
                    Read::Map(reference) => format!("map {}", reference.key),
                    Read::Raw(reference) => format!("raw {}", reference.key),
                    Read::Find(find) => format!("find {}", find.name.as_deref().unwrap_or("*")),
                };
                json!(format!("{what} from {}/{}", key.kind, key.name))
            }
            Source::Generator(reference) => json!(format!("generator {}", reference.name)),
        });
        self.0.insert("reads".to_owned(), reads.collect());
    }

    pub(crate) fn wrote(&mut self, what: &str) {
        self.push("writes", json!(what));
    }

    pub(crate) fn secret(&mut self, how: &str, secret: &Secret) {
        let mut value = serde_json::to_value(secret).unwrap();
        let fields = value.as_object_mut().unwrap();
        fields.remove("apiVersion");
        fields.remove("kind");
        let data = secret.data.iter().flatten();
        let text = data.map(|(key, value)| {
            (
                key.clone(),
                json!(String::from_utf8_lossy(&value.0).into_owned()),
            )
        });
        fields.insert("data".to_owned(), Value::Object(text.collect()));
        let metadata = fields["metadata"].as_object_mut().unwrap();
        metadata.remove("managedFields");
        self.push("writes", json!({ how: value }));
    }

    pub(crate) fn reported(&mut self, report: Report) {
        if let Some(status) = report.status {
            self.0
                .insert("status".to_owned(), serde_json::to_value(status).unwrap());
        }
        for event in report.events {
            let text = format!(
                "{} {}: {}",
                event.severity.as_str(),
                event.reason,
                event.message
            );
            self.push("events", json!(text));
        }
        self.0.insert(
            "next".to_owned(),
            json!(format!("{:?}", report.outcome.next)),
        );
    }

    fn push(&mut self, list: &str, value: Value) {
        let list = self.0.entry(list).or_insert_with(|| json!([]));
        list.as_array_mut().unwrap().push(value);
    }
}
