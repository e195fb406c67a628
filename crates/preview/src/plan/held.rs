//! Deletions that the operator's deletion guard would hold, by store. Pure.

use std::fmt::Write;

use lockstep_api::keys::ANNOTATION_ALLOW_MASS_DELETION;
use lockstep_plan::{Cause, Failure};
use lockstep_toolbox::output::Paint;
use serde::Serialize;

use super::work::store_name;

/// What is held of one store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Held {
    pub(super) store: String,
    /// Objects that would lose data and keep it.
    pub(super) objects: Vec<String>,
    /// Annotation of the store that lets them go.
    pub(super) annotation: String,
    /// Whether all of them fail already, so that the manifests are not the reason.
    pub(super) already: bool,
}

/// Whether an object fails because its deletion is held for a store.
pub(super) fn is_held(failure: &Failure) -> bool {
    failure.cause() == Cause::DELETION_HELD.as_str() && failure.store().is_some()
}

/// Adds an object to those that are held.
pub(super) fn add(held: &mut Vec<Held>, failure: &Failure, object: String, already: bool) {
    let store = failure.store().map(store_name).unwrap_or_default();
    if let Some(known) = held.iter_mut().find(|known| known.store == store) {
        known.objects.push(object);
        known.already &= already;
    } else {
        held.push(Held {
            store,
            objects: vec![object],
            annotation: format!("{ANNOTATION_ALLOW_MASS_DELETION}=true"),
            already,
        });
    }
}

/// The paragraph of one store.
pub(super) fn paragraph(held: &Held, paint: Paint) -> String {
    let Held {
        store,
        objects,
        annotation,
        ..
    } = held;
    let mut text = format!("{} {}\n", paint.bad("! hold"), paint.bold(store));
    let _ = writeln!(
        text,
        "    the deletion guard keeps the data of {} objects, because many secrets vanished at once\n    \
         if it is meant, annotate the store: {annotation}",
        objects.len()
    );
    for object in objects {
        let _ = writeln!(text, "    held: {object}");
    }
    text
}
