//! The parsed files: one ExternalSecret, what its templates name, and the remote store. Every fault
//! becomes a complaint with its line; lines of the remote file are shown on request only.

use lockstep_api::ExternalSecret;
use serde_json::Value;

use super::complaint::Complaint;
use super::files::Files;
use super::flags::RenderFlags;
use super::remote::Remote;
use super::spot::{Aim, Spot};
use crate::documents::Documents;
use crate::lines::Lines;
use crate::manifests::Manifests;
use crate::problem::Problem;
use crate::strict::Fault;

/// Everything a render works with.
pub(crate) struct Input {
    pub(crate) object: ExternalSecret,
    pub(crate) manifests: Manifests,
    pub(crate) remote: Remote,
    /// Where the objects are written.
    pub(crate) written: Vec<Written>,
}

/// Where an object is written.
pub(crate) struct Written {
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) lines: Lines,
}

impl Input {
    /// Parses the files.
    pub(crate) fn read(flags: &RenderFlags, files: &Files) -> Result<Self, Vec<Complaint>> {
        let mut documents = Documents::default();
        for file in &files.manifests {
            documents.add(&file.name, &file.text);
        }
        let namespace = namespace_of(&documents).unwrap_or_else(|| flags.namespace.clone());
        let written = documents.read.iter().map(|document| {
            let text = |pointer: &str| {
                let text = document.value.pointer(pointer).and_then(Value::as_str);
                text.unwrap_or_default().to_owned()
            };
            Written {
                kind: text("/kind"),
                name: text("/metadata/name"),
                file: document.origin.file.clone(),
                lines: document.lines.clone(),
            }
        });
        let written = written.collect();
        let manifests = Manifests::of(documents, &namespace);
        let faults = manifests.problems.iter();
        let faults: Vec<Complaint> = faults.map(|problem| of_problem(problem, files)).collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        let object = chosen(&manifests, flags.name.as_deref()).map_err(|(message, hint)| {
            vec![Complaint {
                file: files.manifests[0].name.clone(),
                message,
                hint: Some(hint),
                ..Complaint::default()
            }]
        })?;
        Ok(Self {
            object,
            manifests,
            remote: remote(files, flags.reveal)?,
            written,
        })
    }
}

/// Namespace of the first ExternalSecret that names one.
fn namespace_of(documents: &Documents) -> Option<String> {
    let mut objects = documents
        .read
        .iter()
        .filter(|document| document.value["kind"] == "ExternalSecret");
    let namespace = objects.find_map(|document| document.value.pointer("/metadata/namespace"))?;
    namespace.as_str().map(str::to_owned)
}

fn chosen(manifests: &Manifests, name: Option<&str>) -> Result<ExternalSecret, (String, String)> {
    let held = &manifests.external_secrets;
    let names = || {
        held.keys()
            .map(|name| name.name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut wanted = held
        .iter()
        .filter(|(held, _)| name.is_none_or(|name| held.name == name))
        .map(|(_, object)| object.clone());
    match (wanted.next(), wanted.next(), name) {
        (Some(object), None, _) => Ok(object),
        (Some(_), Some(_), _) => Err((
            format!("holds {} ExternalSecrets: {}", held.len(), names()),
            "choose one with --name".to_owned(),
        )),
        (None, _, Some(name)) if !held.is_empty() => Err((
            format!("holds no ExternalSecret {name:?}"),
            format!("choose one of: {}", names()),
        )),
        (None, ..) => Err((
            "holds no ExternalSecret".to_owned(),
            "name its manifest with -f".to_owned(),
        )),
    }
}

fn remote(files: &Files, reveal: bool) -> Result<Remote, Vec<Complaint>> {
    let file = &files.remote;
    let mut documents = Documents::default();
    documents.add(&file.name, &file.text);
    let unreadable = documents.problems.iter();
    let unreadable: Vec<Complaint> = unreadable
        .map(|problem| {
            let spot = Spot::of_syntax(file, problem.origin.line);
            hidden(of_fault(problem, &spot), reveal)
        })
        .collect();
    if !unreadable.is_empty() {
        return Err(unreadable);
    }
    let complaint = |fault: &Fault, lines: &Lines| {
        let line = lines.line(&fault.field).unwrap_or(1);
        let spot = Spot::of_field(file, line, &fault.field, Aim::Name);
        let complaint = Complaint {
            field: Some(fault.field.clone()).filter(|field| !field.is_empty()),
            message: fault.message.clone(),
            hint: Some(fault.remedy.clone()),
            ..spot.complaint()
        };
        hidden(complaint, reveal)
    };
    let [document] = documents.read.as_slice() else {
        if documents.read.is_empty() {
            return Ok(Remote::default());
        }
        return Err(vec![Complaint {
            file: file.name.clone(),
            message: format!("holds {} documents", documents.read.len()),
            hint: Some("put everything into one".to_owned()),
            ..Complaint::default()
        }]);
    };
    let repeated: Vec<Complaint> = document
        .lines
        .repeated()
        .map(|field| {
            let fault = Fault {
                field: field.to_owned(),
                message: "is written more than once".to_owned(),
                remedy: "keep one of them".to_owned(),
            };
            complaint(&fault, &document.lines)
        })
        .collect();
    if !repeated.is_empty() {
        return Err(repeated);
    }
    Remote::of(&document.value).map_err(|faults| {
        let faults = faults.iter();
        faults
            .map(|fault| complaint(fault, &document.lines))
            .collect()
    })
}

/// A complaint about the remote file: its lines hold values, so they are shown on request only.
fn hidden(complaint: Complaint, reveal: bool) -> Complaint {
    Complaint {
        excerpt: complaint.excerpt.clone().filter(|_| reveal),
        ..complaint
    }
}

fn of_problem(problem: &Problem, files: &Files) -> Complaint {
    let Some(file) = files.named(&problem.origin.file) else {
        return of_fault(problem, &Spot::default());
    };
    let spot = match &problem.field {
        Some(field) => Spot::of_field(file, problem.origin.line, field, Aim::Name),
        None => Spot::of_syntax(file, problem.origin.line),
    };
    of_fault(problem, &spot)
}

fn of_fault(problem: &Problem, spot: &Spot) -> Complaint {
    let remedy = match problem.field {
        Some(_) => problem.remedy.clone(),
        None => "fix the document".to_owned(),
    };
    Complaint {
        file: problem.origin.file.clone(),
        field: problem.field.clone(),
        message: problem.message.clone(),
        hint: Some(remedy),
        ..spot.complaint()
    }
}
