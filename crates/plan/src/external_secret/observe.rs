//! What a run of an ExternalSecret knows before it decides: the object, its namespace, its stores,
//! its target as the mirror has it, and what memory holds of earlier runs. Plain data; collecting
//! it is the shell's work.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lockstep_api::ExternalSecret;

use crate::manifest_target::Object;
use crate::store::StoreLookup;
use crate::target::TargetRow;
use crate::template_source::TemplateSources;

/// Everything a decision may depend on.
#[derive(Clone, Copy)]
pub struct Observed<'a> {
    /// The ExternalSecret.
    pub object: &'a ExternalSecret,
    /// Labels of its namespace; `None` while they are not known.
    pub namespace_labels: Option<&'a BTreeMap<String, String>>,
    /// Stores and generators.
    pub stores: &'a dyn StoreLookup,
    /// The target.
    pub target: TargetView<'a>,
    /// Other Secrets of the namespace whose created-by label is that of this object.
    pub former_targets: &'a [&'a TargetRow],
    /// The true last refresh, where memory has a later one than the status.
    pub last_refresh: Option<Timestamp>,
    /// Whether something the object reads from changed since its last refresh: a store's spec, or
    /// an object its templates come from.
    pub inputs_changed: bool,
    /// ConfigMaps and Secrets named by `target.template.templateFrom`; needed by `plan` only.
    pub sources: &'a TemplateSources,
    /// A random number from 0 up to 1, for the jitter of the next wake-up.
    pub jitter: f64,
}

/// What is known of the target Secret.
#[derive(Clone, Copy, Debug)]
pub enum TargetView<'a> {
    /// The mirror has no managed Secret of that name; one without the label may exist.
    Absent,
    /// A Secret of that name exists without the managed label.
    Unlabelled,
    /// The mirror's row.
    Row(&'a TargetRow),
    /// The target is no Secret; this is what was read of it.
    Object(Option<&'a Object>),
}

impl<'a> TargetView<'a> {
    /// The mirror's row, if there is one.
    pub fn row(self) -> Option<&'a TargetRow> {
        match self {
            Self::Row(row) => Some(row),
            Self::Absent | Self::Unlabelled | Self::Object(_) => None,
        }
    }
}
