//! What the shell observed of an object before a run, and how decisions see it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_plan::external_secret::{Observed, TargetView, TemplateSources};
use lockstep_plan::manifest_target::Object;
use lockstep_plan::{StoreLookup, TargetRow};

/// What the shell observed before the run.
pub struct Observation {
    /// The object.
    pub object: ExternalSecret,
    /// Labels of its namespace; `None` while they are not known.
    pub namespace_labels: Option<Arc<BTreeMap<String, String>>>,
    /// Its target.
    pub target: Target,
    /// Other Secrets that carry its owner label.
    pub former_targets: Vec<Arc<TargetRow>>,
    /// The last refresh that only memory knows of.
    pub last_refresh: Option<Timestamp>,
    /// Whether something it reads from changed since.
    pub inputs_changed: bool,
    /// When the run was asked for: answers to reads that began earlier do not count.
    pub asked: Timestamp,
}

/// What is known of the target Secret.
pub enum Target {
    /// No managed Secret of that name is known.
    Unknown,
    /// One without our label is there.
    Unlabelled,
    /// The mirror's row.
    Known(Arc<TargetRow>),
    /// It is no Secret; this was read of it.
    Object(Option<Box<Object>>),
}

impl Observation {
    /// The same for a decision. `jitter` is a random number below one.
    pub(super) fn seen<'o>(
        &'o self,
        stores: &'o dyn StoreLookup,
        former_targets: &'o [&'o TargetRow],
        sources: &'o TemplateSources,
        jitter: f64,
    ) -> Observed<'o> {
        Observed {
            object: &self.object,
            namespace_labels: self.namespace_labels.as_deref(),
            stores,
            target: match &self.target {
                Target::Unknown => TargetView::Absent,
                Target::Unlabelled => TargetView::Unlabelled,
                Target::Known(row) => TargetView::Row(row),
                Target::Object(live) => TargetView::Object(live.as_deref()),
            },
            former_targets,
            last_refresh: self.last_refresh,
            inputs_changed: self.inputs_changed,
            sources,
            jitter,
        }
    }
}
