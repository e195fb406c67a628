//! What to write for the answers: the deletion policy for data that is gone, the creation policy for data
//! that is there, and former targets to delete.

use std::collections::BTreeMap;

use lockstep_api::external_secret::{CreationPolicy, DeletionPolicy};
use lockstep_api::{ExternalSecret, keys, messages};
use lockstep_provider_api::error::Retry;
use lockstep_provider_api::{Error, Payload, SecretMap};

use super::assemble::{Assembled, assemble};
use super::fetch::FetchList;
use super::loss::{Absence, absence, missing_from};
use super::names::{name, namespace, uid};
use super::report::Kept;
use super::target_plan::{TargetPlan, deletion, orphans, write_plan};
use super::{Observed, ObservedTarget};
use crate::cause::Cause;
use crate::event::EventNote;
use crate::failure::Failure;
use crate::manifest_target::{self, BuildError, Object, ObjectPlan, ObjectRef};
use crate::render::{self, RenderContext, RenderError, Rendered, render};
use crate::target::{Desired, TargetDelete, Write};
use crate::validate;
use crate::work::{Work, fits_secret};

/// Most keys that a message lists.
const MOST_KEYS: usize = 10;
/// How Go's templates say that a key is missing.
const NO_ENTRY: &str = "map has no entry for key ";

/// What a run writes, in this order: the target, then the deletion of former targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The target.
    pub target: TargetPlan,
    /// Former targets to delete once the target is in place.
    pub orphans: Vec<TargetDelete>,
    /// Events to record if anything changed.
    pub events: Vec<EventNote>,
    /// What was absent, and whether the target loses data for it.
    pub absence: Absence,
}

/// Plans the writes for the answers to a fetch list, given in its order.
pub fn plan(
    observed: &Observed<'_>,
    list: &FetchList,
    answers: &[Result<Payload, Error>],
    work: Work<'_>,
) -> Result<Plan, Failure> {
    let Assembled { data, events } = assemble(&observed.object, list, answers, work)?;
    let no_data = data.is_empty();
    let (target, orphans) = match writes(observed, data, work) {
        Ok(writes) => writes,
        Err(failure) => return Err(failure.after(events)),
    };
    let missing = missing_from(list, answers);
    Ok(Plan {
        absence: absence(observed, &target, (list, missing, no_data), work.settings),
        target,
        orphans,
        events,
    })
}

/// The target and the former targets to delete, for data before templates.
pub(crate) fn writes(
    observed: &Observed<'_>,
    data: SecretMap,
    work: Work<'_>,
) -> Result<(TargetPlan, Vec<TargetDelete>), Failure> {
    let means = RenderContext {
        sources: &observed.sources,
        work,
    };
    let spec = &observed.object.spec;
    if data.is_empty() || *spec.creation_policy() == CreationPolicy::None {
        refuse_template(observed)?;
    }
    if data.is_empty() {
        match spec.deletion_policy() {
            DeletionPolicy::Delete => return Ok((deletion(observed)?, Vec::new())),
            DeletionPolicy::Retain => return Ok((TargetPlan::Keep(Kept::Retained), Vec::new())),
            DeletionPolicy::Merge | DeletionPolicy::Unknown(_) => {}
        }
    }
    let write = match spec.creation_policy() {
        CreationPolicy::None => return Ok((TargetPlan::Keep(Kept::NotWanted), Vec::new())),
        CreationPolicy::Orphan => Write::Replace,
        CreationPolicy::Merge => Write::Merge,
        CreationPolicy::CreateOrMerge => Write::CreateOrMerge,
        CreationPolicy::Owner | CreationPolicy::Unknown(_) => Write::Own,
    };
    if let ObservedTarget::Object(live) = &observed.target {
        let plan = object_plan(observed, write, (&data, live.as_deref()), means)?;
        return Ok((TargetPlan::Object(plan), Vec::new()));
    }
    let desired = desired(observed, write, data, means)?;
    let target = write_plan(&observed.target, desired, work.settings);
    let orphans = if write.owns() {
        orphans(observed)
    } else {
        Vec::new()
    };
    Ok((target, orphans))
}

/// Refuses a template that is never rendered because nothing is written, as one that is.
fn refuse_template(observed: &Observed<'_>) -> Result<(), Failure> {
    let object = &observed.object;
    validate::secret_template(&object.spec).map_err(|text| {
        let error = RenderError::from(text).within("could not apply template");
        template_failed(object, error, observed.target.row().is_some())
    })
}

/// The write to a target that is no Secret.
fn object_plan(
    observed: &Observed<'_>,
    write: Write,
    (data, live): (&SecretMap, Option<&Object>),
    means: RenderContext<'_>,
) -> Result<ObjectPlan, Failure> {
    let object = &observed.object;
    let Some(reference) = ObjectRef::of(object) else {
        return Ok(ObjectPlan::InSync);
    };
    let (labels, annotations) = render::metadata(object, means.work.settings);
    let desired = Desired {
        labels,
        annotations,
        ..Desired::of(object, write)
    };
    let built = manifest_target::build(object, &desired, (&reference, live), data, means);
    let built = built.map_err(|error| match error {
        BuildError::Owner(failure) => failure,
        BuildError::Content(error) => Failure::new(
            messages::COULD_NOT_APPLY_MANIFEST,
            Cause::TEMPLATE,
            error.text,
        )
        .at_template(error.fault)
        .retrying(Retry::Slow)
        .with_detail(|text| unstacked(text).to_owned()),
    })?;
    // A template that fails is reported before the wait for the target.
    if live.is_none() && !write.creates() {
        return Ok(ObjectPlan::Missing);
    }
    Ok(built)
}

fn desired(
    observed: &Observed<'_>,
    write: Write,
    data: SecretMap,
    means: RenderContext<'_>,
) -> Result<Desired, Failure> {
    let object = &observed.object;
    let target = object.spec.target.as_ref();
    let immutable = target.is_some_and(|target| target.immutable == Some(true));
    let exists = !matches!(observed.target, ObservedTarget::Absent);
    let rendered = if immutable && exists {
        // Its content is never written again, so nothing is rendered for it.
        Rendered::default()
    } else {
        let has_template = target.is_some_and(|target| target.template.is_some());
        let keys = has_template.then(|| some_keys(&data));
        let rendered = render(object, data, means);
        rendered.map_err(|error| {
            let failure = template_failed(object, error, exists);
            name_keys(failure, keys.as_deref().unwrap_or_default())
        })?
    };
    if let Err(text) = fits_secret(&rendered.data) {
        return Err(Failure::new(
            messages::COULD_NOT_UPDATE,
            Cause::INVALID_DATA,
            text,
        ));
    }
    Ok(Desired {
        immutable,
        secret_type: rendered.secret_type,
        labels: rendered.labels,
        annotations: rendered.annotations,
        finalizers: rendered.finalizers,
        data: rendered.data,
        ..Desired::of(object, write)
    })
}

impl Desired {
    /// A target without contents, by name and owner.
    fn of(object: &ExternalSecret, write: Write) -> Self {
        Self {
            namespace: namespace(object).to_owned(),
            name: object.target_name().to_owned(),
            manager: keys::target_field_manager(name(object)),
            write,
            owner_name: name(object).to_owned(),
            owner_uid: uid(object).to_owned(),
            immutable: false,
            secret_type: None,
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            finalizers: Vec::new(),
            data: SecretMap::new(),
        }
    }
}

/// The first keys that templates may use, for a message.
fn some_keys(data: &SecretMap) -> String {
    let keys: Vec<&str> = data.keys().take(MOST_KEYS).collect();
    keys.join(", ")
}

/// Lists the keys that there are, where a template asks for one that there is not.
fn name_keys(failure: Failure, keys: &str) -> Failure {
    let fault = failure.template().map(|fault| fault.message.as_str());
    if keys.is_empty() || !fault.is_some_and(|text| text.starts_with(NO_ENTRY)) {
        return failure;
    }
    failure.with_detail(|text| format!("{text}; the keys are {keys}"))
}

fn template_failed(object: &ExternalSecret, error: RenderError, exists: bool) -> Failure {
    let failure = Failure::new(messages::COULD_NOT_UPDATE, Cause::TEMPLATE, error.text)
        .at_template(error.fault)
        .retrying(Retry::Slow)
        .with_detail(|text| unstacked(text).to_owned());
    if !exists {
        return failure;
    }
    let target = object.target_name();
    failure
        .with_event(|text| format!("unable to mutate secret {target}: {text}"))
        .touching_target()
}

/// The text without the layers upstream puts in front, which say nothing the cause does not.
fn unstacked(text: &str) -> &str {
    const LAYERS: [&str; 2] = ["could not apply template: ", "could not execute template: "];
    let mut text = text;
    while let Some(inner) = LAYERS.iter().find_map(|layer| text.strip_prefix(layer)) {
        text = inner;
    }
    text
}
