//! Which field a refusal of admission is about. Admission's texts name none, so the field is found by
//! asking for each part of the spec whether it is refused with the same text.

use lockstep_api::ExternalSecretSpec;
use lockstep_plan::validate;

use crate::strict::Fault;

/// Faults that the admission webhook of a cluster refuses an ExternalSecret for, each with its field.
pub(super) fn external_secret(spec: &ExternalSecretSpec) -> Vec<Fault> {
    let mut faults: Vec<Fault> = Vec::new();
    for message in validate::external_secret(spec) {
        let earlier = faults.iter().filter(|fault| fault.message == message);
        let field = field(spec, &message, earlier.count());
        faults.push(refused(field, message));
    }
    if let Err(message) = validate::durations(spec) {
        let windows = spec.sync_windows.as_ref();
        let is_interval = windows.is_none() || {
            let interval_alone = ExternalSecretSpec {
                sync_windows: None,
                ..spec.clone()
            };
            validate::durations(&interval_alone).is_err()
        };
        let field = if is_interval {
            "spec.refreshInterval"
        } else {
            "spec.syncWindows"
        };
        let is_duration = message.starts_with("time: ");
        let mut fault = refused(field.to_owned(), message);
        if is_duration {
            "write hours, minutes or seconds: 24h for a day, 90s".clone_into(&mut fault.remedy);
        }
        faults.push(fault);
    }
    faults
}

/// A fault that the admission webhook of a cluster refuses the object for.
pub(super) fn refused(field: String, message: String) -> Fault {
    Fault {
        field,
        message,
        remedy: "a cluster refuses this object too".to_owned(),
    }
}

/// The field of a text; `earlier` is how often the same text was found before.
fn field(spec: &ExternalSecretSpec, message: &str, earlier: usize) -> String {
    if message.starts_with("deletionPolicy=") {
        return "spec.target.deletionPolicy".to_owned();
    }
    if message.starts_with("template.type=") {
        return "spec.target.template.type".to_owned();
    }
    if message.starts_with("templateFrom ") {
        return "spec.target.template.templateFrom".to_owned();
    }
    if let Some(key) = message.strip_prefix("duplicate secretKey found: ") {
        let entries = spec.data.iter().enumerate();
        let mut same = entries.filter(|(_, entry)| entry.secret_key == key);
        let at = same.nth(earlier + 1).map_or(0, |(at, _)| at);
        return format!("spec.data[{at}].secretKey");
    }
    let mut refused = (0..spec.data_from.len()).filter(|at| is_refused(spec, *at, message));
    match refused.nth(earlier) {
        Some(at) => format!("spec.dataFrom[{at}]"),
        None => "spec".to_owned(),
    }
}

/// Whether an entry is refused with this text when it is the only one.
fn is_refused(spec: &ExternalSecretSpec, at: usize, message: &str) -> bool {
    let alone = ExternalSecretSpec {
        data_from: spec.data_from.get(at).cloned().into_iter().collect(),
        ..spec.clone()
    };
    let faults = validate::external_secret(&alone);
    faults.iter().any(|fault| fault == message)
}
