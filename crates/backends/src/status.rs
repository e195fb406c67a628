//! `status`: the state of each secret, whose it is, and whether it holds what a manifest wants. Changes
//! nothing.

use lockstep_local::table::Table;
use lockstep_provider_api::Error;
use lockstep_provider_api::lifecycle::{Description, State};
use lockstep_toolbox::exit::Exit;
use lockstep_toolbox::output::Paint;
use serde_json::{Value, json};

use crate::content::Difference;
use crate::manifest::API_VERSION;
use crate::observe::Backend;
use crate::report::{Subject, cell};
use crate::sources::Desired;
use crate::words;

/// One secret, by name or as a manifest wants it.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    Name(String),
    Entry(Box<Desired>),
}

impl Asked {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Entry(desired) => &desired.name,
        }
    }
}

/// What is known of a secret, or why nothing is.
#[derive(Debug)]
pub(crate) struct Status {
    pub(crate) name: String,
    pub(crate) known: Result<Known, String>,
}

#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) description: Description,
    pub(crate) value: Comparison,
    /// Names of the tags that differ; `None` where they were not compared.
    pub(crate) tags: Option<Vec<String>>,
}

/// How a value compares with the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// There is no manifest to compare with, or no value to read.
    NotCompared,
    Same,
    Differs(Difference),
    /// It cannot be brought in line, because of the reason.
    Unusable(String),
}

/// Looks at one secret.
pub(crate) async fn one(backend: &Backend, asked: &Asked) -> Status {
    let known = match asked {
        Asked::Name(name) => backend.describe(name).await.map(|description| Known {
            description,
            value: Comparison::NotCompared,
            tags: None,
        }),
        Asked::Entry(desired) => backend.observe(desired).await.map(|observed| Known {
            description: observed.description,
            value: match observed.difference {
                None => Comparison::NotCompared,
                Some(Ok(difference)) if difference.is_none() => Comparison::Same,
                Some(Ok(difference)) => Comparison::Differs(difference),
                Some(Err(reason)) => Comparison::Unusable(reason),
            },
            tags: observed.tags,
        }),
    };
    Status {
        name: asked.name().to_owned(),
        known: known.map_err(|error| line(&error)),
    }
}

fn line(error: &Error) -> String {
    let text = error.to_string();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Known {
    fn is_fine(&self) -> bool {
        let is_right = matches!(self.value, Comparison::NotCompared | Comparison::Same);
        self.description.state == State::Available && is_right && self.differing_tags().is_empty()
    }

    fn differing_tags(&self) -> &[String] {
        self.tags.as_deref().unwrap_or_default()
    }

    fn value(&self) -> String {
        let value = match &self.value {
            Comparison::NotCompared => "-".to_owned(),
            Comparison::Same => "as desired".to_owned(),
            Comparison::Differs(difference) => words::difference(difference),
            Comparison::Unusable(reason) => reason.clone(),
        };
        match self.differing_tags() {
            [] => value,
            tags => format!("{value}; {}", words::tags(tags)),
        }
    }
}

/// The table for people.
pub(crate) fn text(all: &[Status], subject: &Subject, paint: Paint) -> String {
    let mut table = Table::new(&["NAME", "STATE", "READABLE VERSIONS", "MANAGED", "VALUE"]);
    for status in all {
        let name = status.name.clone();
        match &status.known {
            Ok(known) => {
                let description = &known.description;
                let readable = description.readable;
                table.row([
                    name,
                    cell(Some(description.state)),
                    readable.map_or_else(|| "-".to_owned(), |count| count.to_string()),
                    words::owner(description.owner).to_owned(),
                    known.value(),
                ]);
            }
            Err(text) => table.row([
                name,
                "unknown".to_owned(),
                "-".to_owned(),
                "-".to_owned(),
                text.clone(),
            ]),
        }
    }
    let mut shown = String::new();
    for (at, line) in table.print().lines().enumerate() {
        let painted = match at.checked_sub(1).and_then(|at| all.get(at)) {
            None => paint.bold(line),
            Some(status) => match &status.known {
                Ok(known) if known.is_fine() => line.to_owned(),
                Ok(_) => paint.warn(line),
                Err(_) => paint.bad(line),
            },
        };
        shown.push_str(&painted);
        shown.push('\n');
    }
    let fine = all
        .iter()
        .filter(|status| status.known.as_ref().is_ok_and(Known::is_fine));
    let (fine, total) = (fine.count(), all.len());
    let Subject { store, backend, .. } = subject;
    format!("{shown}\n{store} ({backend}): {fine} of {total} as they should be\n")
}

/// The same for programs.
pub(crate) fn json(all: &[Status], subject: &Subject) -> Value {
    let secrets = all.iter().map(|status| match &status.known {
        Ok(known) => {
            let description = &known.description;
            json!({
                "name": status.name,
                "state": description.state.as_str(),
                "until": description.state.until(),
                "readableVersions": description.readable,
                "managed": words::owner(description.owner),
                "value": match &known.value {
                    Comparison::NotCompared => Value::Null,
                    Comparison::Same => json!({ "asDesired": true }),
                    Comparison::Differs(difference) => {
                        json!({ "asDesired": false, "difference": difference })
                    }
                    Comparison::Unusable(reason) => json!({ "asDesired": false, "reason": reason }),
                },
                "tags": known.tags.as_ref().map(|tags| {
                    json!({ "asDesired": tags.is_empty(), "differing": tags })
                }),
            })
        }
        Err(text) => json!({ "name": status.name, "state": null, "error": text }),
    });
    json!({
        "apiVersion": API_VERSION,
        "kind": "BackendsStatus",
        "store": subject.store,
        "backend": subject.backend,
        "secrets": secrets.collect::<Vec<_>>(),
    })
}

/// How the command ends.
pub(crate) fn exit(all: &[Status]) -> Exit {
    if all.iter().any(|status| status.known.is_err()) {
        return Exit::Findings;
    }
    let is_fine = |status: &Status| status.known.as_ref().is_ok_and(Known::is_fine);
    if all.iter().all(is_fine) {
        Exit::Fine
    } else {
        Exit::Missing
    }
}

#[cfg(test)]
mod tests;
