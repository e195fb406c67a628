//! Turns a failed sync into a complaint: finds the field, the template line or the remote reference
//! that is to blame, and what may have been meant.

use std::collections::BTreeMap;

use lockstep_plan::external_secret::{SourceKind, SpecEntry};
use lockstep_plan::{Failure, TemplateFault, TemplateText};

use super::caret;
use super::complaint::Complaint;
use super::files::{File, Files};
use super::input::{Input, Written};
use super::remote::Missed;
use super::spot::{Aim, Spot};
use crate::closest::closest;
use crate::name::Name;

/// Knows the files and how far a run came.
pub(crate) struct Located<'a> {
    input: &'a Input,
    files: &'a Files,
    /// Whether lines of Secrets may be shown.
    reveal: bool,
    /// What reads missed.
    pub(crate) missed: BTreeMap<SpecEntry, Missed>,
    /// Keys templates can use.
    pub(crate) keys: Vec<String>,
}

impl<'a> Located<'a> {
    pub(crate) fn new(input: &'a Input, files: &'a Files, reveal: bool) -> Self {
        Self {
            input,
            files,
            reveal,
            missed: BTreeMap::new(),
            keys: Vec::new(),
        }
    }

    /// The complaint about a failure.
    pub(crate) fn complaint(&self, failure: &Failure) -> Complaint {
        let condition = failure.condition_message();
        let complaint = match (failure.template(), failure.entry()) {
            (Some(fault), _) => self.of_template(fault),
            (None, Some(entry)) => self.of_entry(entry, failure.event()),
            (None, None) => {
                let field = match failure.cause() {
                    "Template" => "spec.target.template",
                    _ => "spec",
                };
                let message = detail(failure, &condition);
                let hint = message
                    .contains("not found")
                    .then(|| "give its manifest with --template-from".to_owned());
                Complaint {
                    message: message.to_owned(),
                    hint,
                    ..self.of_field(field, Aim::Name)
                }
            }
        };
        Complaint {
            condition: Some(condition),
            ..complaint
        }
    }

    fn of_entry(&self, entry: SpecEntry, event: &str) -> Complaint {
        let missed = self.missed.get(&entry);
        let field = match entry {
            SpecEntry::Data(at) => format!(
                "spec.data[{at}].remoteRef.{}",
                missed.map_or("key", |missed| missed.field)
            ),
            SpecEntry::DataFrom(at) => match missed {
                Some(missed) => format!("spec.dataFrom[{at}].extract.{}", missed.field),
                None => format!("spec.dataFrom[{at}]"),
            },
        };
        let front = format!(
            "error processing {}, err: ",
            entry.label(&self.input.object)
        );
        Complaint {
            message: event.strip_prefix(&front).unwrap_or(event).to_owned(),
            hint: missed.map(|missed| missed.hint.clone()),
            ..self.of_field(&field, Aim::Value)
        }
    }

    /// A complaint about a field of the ExternalSecret.
    fn of_field(&self, field: &str, aim: Aim) -> Complaint {
        let name = self
            .input
            .object
            .metadata
            .name
            .as_deref()
            .unwrap_or_default();
        let spot = self.written("ExternalSecret", name).map(|(file, written)| {
            let line = written.lines.line(field).unwrap_or(1);
            Spot::of_field(file, line, field, aim)
        });
        Complaint {
            field: Some(field.to_owned()),
            ..spot.unwrap_or_default().complaint()
        }
    }

    fn of_template(&self, fault: &TemplateFault) -> Complaint {
        let name = self.input.object.metadata.name.clone().unwrap_or_default();
        let (kind, name, field) = match &fault.template {
            TemplateText::Field(path) => ("ExternalSecret", name, path.clone()),
            TemplateText::Source(key, item) => {
                let kind = match key.kind {
                    SourceKind::ConfigMap => "ConfigMap",
                    SourceKind::Secret => "Secret",
                };
                (kind, key.name.clone(), format!("data.{item}"))
            }
        };
        let shown = match kind {
            "ExternalSecret" => field.clone(),
            kind => format!("{kind} {name}: {field}"),
        };
        let mut complaint = Complaint {
            field: Some(shown),
            message: fault.message.clone(),
            hint: self.template_hint(&fault.message),
            ..Complaint::default()
        };
        let Some((file, written)) = self.written(kind, &name) else {
            return complaint;
        };
        let line = written.lines.line(&field).unwrap_or(1);
        let at = (fault.line as usize, fault.column as usize);
        let text = self.template(&fault.template);
        let template_line = text
            .as_deref()
            .and_then(|text| text.lines().nth(at.0.checked_sub(1)?));
        let spot = template_line.and_then(|text| Spot::of_template(file, line, text, at));
        let is_shown = self.reveal || kind != "Secret";
        let spot = match (spot, template_line) {
            (Some(spot), _) => spot.complaint(),
            (None, Some(text)) => {
                // The file writes the template otherwise, so its own line is shown.
                let column = caret::column(text, at.1);
                complaint.message = format!(
                    "line {}, column {column} of the template: {}",
                    at.0, complaint.message
                );
                Complaint {
                    excerpt: Some(caret::excerpt(at.0, text, column)),
                    ..Spot::of_field(file, line, &field, Aim::Name).complaint()
                }
            }
            (None, None) => Spot::of_field(file, line, &field, Aim::Name).complaint(),
        };
        Complaint {
            file: spot.file,
            line: spot.line,
            column: spot.column,
            excerpt: spot.excerpt.filter(|_| is_shown),
            ..complaint
        }
    }

    /// What may have been meant by a key that is not there.
    fn template_hint(&self, message: &str) -> Option<String> {
        let wanted = message
            .strip_prefix("map has no entry for key ")?
            .trim_matches('"');
        let keys = self.keys.iter().map(String::as_str);
        Some(match closest(wanted, keys) {
            Some(near) => format!("did you mean {near:?}?"),
            None if self.keys.is_empty() => "no key was fetched".to_owned(),
            None => format!("the fetched keys are: {}", self.keys.join(", ")),
        })
    }

    /// Text of a template.
    fn template(&self, place: &TemplateText) -> Option<String> {
        match place {
            TemplateText::Field(path) => {
                let template = self.input.object.spec.target.as_ref()?.template.as_ref()?;
                let path = path.strip_prefix("spec.target.template.")?;
                if let Some(at) = path.strip_prefix("templateFrom[") {
                    let at: usize = at.split(']').next()?.parse().ok()?;
                    return template.template_from.get(at)?.literal.clone();
                }
                let metadata = template.metadata.as_ref();
                let (map, key) = match path.split_once('.')? {
                    ("data", key) => (&template.data, key),
                    (_, path) => match path.split_once('.')? {
                        ("labels", key) => (&metadata?.labels, key),
                        (_, key) => (&metadata?.annotations, key),
                    },
                };
                map.get(key).cloned()
            }
            TemplateText::Source(key, item) => {
                let namespace = self.input.object.metadata.namespace.as_deref();
                let name = Name::new(namespace.unwrap_or_default(), &*key.name);
                let manifests = &self.input.manifests;
                let bytes = match key.kind {
                    SourceKind::ConfigMap => manifests
                        .config_maps
                        .get(&name)?
                        .get(item)?
                        .expose()
                        .to_vec(),
                    SourceKind::Secret => manifests
                        .secrets
                        .get(&name)?
                        .data
                        .as_ref()?
                        .get(item)?
                        .0
                        .clone(),
                };
                String::from_utf8(bytes).ok()
            }
        }
    }

    fn written(&self, kind: &str, name: &str) -> Option<(&File, &Written)> {
        let mut written = self.input.written.iter();
        let written = written.find(|held| held.kind == kind && held.name == name)?;
        Some((self.files.named(&written.file)?, written))
    }
}

/// The message of a condition without what every failure of its kind says.
fn detail<'a>(failure: &Failure, condition: &'a str) -> &'a str {
    let front = format!("{}: {}: ", failure.constant_message(), failure.cause());
    condition.strip_prefix(&front).unwrap_or(condition)
}
