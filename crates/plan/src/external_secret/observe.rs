//! What a reconcile of an ExternalSecret knows before it decides: the object, its namespace, its stores,
//! its target as the index has it, and what memory holds of earlier reconciles. Plain data; the controllers
//! and local mode collect it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use lockstep_api::ExternalSecret;

use crate::failure::Failure;
use crate::manifest_target::Object;
use crate::store::StoreLookup;
use crate::target::TargetRow;
use crate::template_source::TemplateSources;

/// Everything a decision may depend on.
#[derive(Clone)]
pub struct Observed<'a> {
    /// The ExternalSecret.
    pub object: ExternalSecret,
    /// Labels of its namespace; `None` while they are not known.
    pub namespace_labels: Option<Arc<BTreeMap<String, String>>>,
    /// Stores and generators.
    pub stores: &'a dyn StoreLookup,
    /// The target.
    pub target: ObservedTarget,
    /// Other Secrets of the namespace whose created-by label is that of this object.
    pub former_targets: Vec<Arc<TargetRow>>,
    /// The true last refresh, where memory has a later one than the status.
    pub last_refresh: Option<Timestamp>,
    /// Whether something the object reads from changed since its last refresh: a store's spec, or
    /// an object its templates come from.
    pub inputs_changed: bool,
    /// When the reconcile was asked for: answers to reads that began earlier do not count.
    pub asked: Timestamp,
    /// ConfigMaps and Secrets named by `target.template.templateFrom`; read for `plan` only.
    pub sources: TemplateSources,
    /// A random number from 0 up to 1, for the jitter of the next refresh.
    pub jitter: f64,
}

/// What is known of the target.
#[derive(Clone, Debug)]
pub enum ObservedTarget {
    /// The index has no managed Secret of that name; one without the label may exist.
    Absent,
    /// A Secret of that name exists without the managed label.
    Unlabelled,
    /// The row of the index.
    Row(Arc<TargetRow>),
    /// The target is no Secret; this is what was read of it.
    Object(Option<Box<Object>>),
    /// The target is no Secret and could not be read.
    Unreadable(Failure),
}

impl ObservedTarget {
    /// The row of the index, if there is one.
    pub fn row(&self) -> Option<&TargetRow> {
        match self {
            Self::Row(row) => Some(row),
            Self::Absent | Self::Unlabelled | Self::Object(_) | Self::Unreadable(_) => None,
        }
    }
}
