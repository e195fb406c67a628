//! Prints the Secret. Values are masked unless asked for, and so is what might hold one: the hash of
//! the data, and labels and annotations that a template made.

mod manifest;

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use lockstep_api::{ExternalSecret, keys};
use lockstep_golang::base64::{self, Encoding};
use serde::Serialize;

use super::complaint::Complaint;
use super::flags::{Output, RenderFlags};
use super::outcome::{Made, Outcome};
use crate::out::{bytes_of, env};

/// What stands in place of a value.
const MASK: &str = "***";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    api_version: &'static str,
    kind: &'static str,
    metadata: Metadata<'a>,
    #[serde(rename = "type")]
    type_: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    immutable: Option<bool>,
}

#[derive(Serialize)]
struct Metadata<'a> {
    name: &'a str,
    namespace: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    finalizers: &'a [String],
}

#[derive(Serialize)]
struct Manifest<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    data: BTreeMap<&'a str, String>,
}

/// The text for standard output; empty where nothing is written.
pub(crate) fn text(flags: &RenderFlags, outcome: &Outcome) -> Result<String, Vec<Complaint>> {
    let (object, reveal) = (&outcome.object, flags.reveal);
    let shown = match (&outcome.made, flags.output) {
        (None, _) => return Ok(String::new()),
        (Some(Made::Secret(secret)), Output::Env) => variables(secret, reveal),
        (Some(Made::Secret(secret)), Output::Json) => json(object, secret, reveal),
        (Some(Made::Secret(secret)), Output::Yaml) => yaml(object, secret, reveal),
        (Some(Made::Object(made)), form) => manifest::text(object, made, form, reveal),
    };
    shown.map_err(|message| {
        vec![Complaint {
            message: format!("target {}: {message}", object.target_name()),
            ..Complaint::default()
        }]
    })
}

fn variables(secret: &Secret, reveal: bool) -> Result<String, String> {
    let data = secret.data.iter().flatten().map(|(key, value)| {
        let value = if reveal {
            value.clone()
        } else {
            ByteString(MASK.as_bytes().to_vec())
        };
        (key.clone(), value)
    });
    let masked = Secret {
        data: Some(data.collect()),
        ..Secret::default()
    };
    let text = env::variables(bytes_of(&masked), "--output yaml")?;
    String::from_utf8(text).map_err(|error| error.to_string())
}

fn json(object: &ExternalSecret, secret: &Secret, reveal: bool) -> Result<String, String> {
    let data = data(secret).map(|(key, value)| (key, encoded(value, reveal)));
    let manifest = Manifest {
        head: head(object, secret, reveal),
        data: data.collect(),
    };
    serde_json::to_string_pretty(&manifest)
        .map(|text| text + "\n")
        .map_err(|error| error.to_string())
}

fn yaml(object: &ExternalSecret, secret: &Secret, reveal: bool) -> Result<String, String> {
    // Quoted, because `true` or `1e3` may well be a value.
    let options = serde_saphyr::ser_options! { quote_all: true };
    let head = head(object, secret, reveal);
    let mut text =
        serde_saphyr::to_string_with_options(&head, options).map_err(|error| error.to_string())?;
    if data(secret).next().is_none() {
        return Ok(text + "data: {}\n");
    }
    text.push_str("data:\n");
    for (key, value) in data(secret) {
        text.extend(["  '", key, "': '", &encoded(value, reveal), "'"]);
        if let Some(plain) = reveal.then(|| plain(value)).flatten() {
            text.extend([" # ", &plain]);
        }
        text.push('\n');
    }
    Ok(text)
}

fn data(secret: &Secret) -> impl Iterator<Item = (&str, &[u8])> {
    let data = secret.data.iter().flatten();
    data.map(|(key, value)| (key.as_str(), value.0.as_slice()))
}

fn encoded(value: &[u8], reveal: bool) -> String {
    if reveal {
        base64::encode(Encoding::Standard, value)
    } else {
        format!("{MASK} ({} B)", value.len())
    }
}

/// A value as a comment can show it: in quotes, on one line, where it is text.
fn plain(value: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(value).ok()?;
    let is_shown = |letter: char| {
        matches!(letter, '\n' | '\t' | '\r')
            || !(letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}'))
    };
    let shown = text.chars().all(is_shown);
    shown.then(|| serde_json::Value::from(text).to_string())
}

fn head<'a>(object: &'a ExternalSecret, secret: &'a Secret, reveal: bool) -> Head<'a> {
    let metadata = &secret.metadata;
    let (labels, annotations) = written(object);
    Head {
        api_version: "v1",
        kind: "Secret",
        metadata: Metadata {
            name: metadata.name.as_deref().unwrap_or_default(),
            namespace: metadata.namespace.as_deref().unwrap_or_default(),
            labels: masked(metadata.labels.as_ref(), labels, reveal),
            annotations: masked(metadata.annotations.as_ref(), annotations, reveal),
            finalizers: metadata.finalizers.as_deref().unwrap_or_default(),
        },
        type_: secret.type_.as_deref().unwrap_or("Opaque"),
        immutable: secret.immutable,
    }
}

/// Labels or annotations as manifests have them: the object's own, and those of its template.
type Marks<'a> = [Option<&'a BTreeMap<String, String>>; 2];

/// The labels and annotations that stand in the manifest.
fn written(object: &ExternalSecret) -> (Marks<'_>, Marks<'_>) {
    let target = object.spec.target.as_ref();
    let template = target.and_then(|target| target.template.as_ref());
    let written = template.and_then(|template| template.metadata.as_ref());
    let own = &object.metadata;
    (
        [own.labels.as_ref(), written.map(|written| &written.labels)],
        [
            own.annotations.as_ref(),
            written.map(|written| &written.annotations),
        ],
    )
}

/// Labels or annotations; what does not stand in the manifest as it is was made of values.
fn masked<'a>(
    made: Option<&'a BTreeMap<String, String>>,
    written: Marks<'_>,
    reveal: bool,
) -> BTreeMap<&'a str, &'a str> {
    let is_public = |key: &str, text: &str| {
        let is_ours = key == keys::LABEL_MANAGED || key == keys::LABEL_OWNER;
        let mut written = written.iter().flatten();
        is_ours || written.any(|map| map.get(key).is_some_and(|held| held == text))
    };
    let made = made.into_iter().flatten();
    made.map(|(key, text)| {
        let shown = reveal || is_public(key, text);
        (key.as_str(), if shown { text.as_str() } else { MASK })
    })
    .collect()
}
