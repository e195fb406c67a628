//! What to write: the deletion policy for data that is gone, the creation policy for data that is
//! there, and former targets to delete. Only Secrets controlled by this very object are deleted.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Secret;
use lockstep_api::external_secret::{CreationPolicy, DeletionPolicy};
use lockstep_api::{ExternalSecret, keys, messages, reasons};
use lockstep_provider_api::SecretMap;
use lockstep_provider_api::error::Retry;

use super::assemble::Assembled;
use super::names::{created_by, name, namespace, uid};
use super::report::Kept;
use super::{Observed, ObservedTarget};
use crate::cause::Cause;
use crate::conditions::ready_reason;
use crate::event::EventNote;
use crate::failure::Failure;
use crate::manifest_target::{self, BuildError, Object, ObjectPlan, ObjectRef};
use crate::render::{self, RenderContext, RenderError, Rendered, render};
use crate::settings::Settings;
use crate::store::StoreKey;
use crate::target::{Desired, TargetDelete, TargetRow, Write};
use crate::validate;
use crate::work::{Work, fits_secret};

/// What a run writes, in this order: the target, then the deletion of former targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The target.
    pub target: TargetPlan,
    /// Former targets to delete once the target is in place.
    pub orphans: Vec<TargetDelete>,
    /// Events to record if anything changed.
    pub events: Vec<EventNote>,
}

/// What to do with the target.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetPlan {
    /// Leave it alone.
    Keep(Kept),
    /// Nothing: the mirror shows it as wished.
    InSync,
    /// Create it by [`super::mutate()`] with no live Secret; if one exists after all, go on as for
    /// `Look`.
    Create(Desired),
    /// Read it, then apply [`super::mutate()`].
    Look(Desired),
    /// Delete it.
    Delete(TargetDelete),
    /// Read it, then ask [`confirm_deletion`].
    LookToDelete(String),
    /// Nothing: it is to be deleted, and known to be gone.
    Gone,
    /// It is no Secret.
    Object(ObjectPlan),
}

/// Plans the writes for assembled data.
pub fn plan(
    observed: &Observed<'_>,
    assembled: Assembled,
    work: Work<'_>,
) -> Result<Plan, Failure> {
    let Assembled { data, events } = assembled;
    let means = RenderContext {
        sources: &observed.sources,
        work,
    };
    match writes(observed, data, means) {
        Ok((target, orphans)) => Ok(Plan {
            target,
            orphans,
            events,
        }),
        Err(failure) => Err(failure.after(events)),
    }
}

/// The target and the former targets to delete.
fn writes(
    observed: &Observed<'_>,
    data: SecretMap,
    means: RenderContext<'_>,
) -> Result<(TargetPlan, Vec<TargetDelete>), Failure> {
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
    let target = write_plan(&observed.target, desired, means.work.settings);
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

/// The Secret to delete when the provider has no data.
fn deletion(observed: &Observed<'_>) -> Result<TargetPlan, Failure> {
    let object = &observed.object;
    let policy = object.spec.creation_policy();
    if *policy != CreationPolicy::Owner {
        let text = format!(
            "unable to delete secret {}: creationPolicy={policy} is not Owner",
            object.target_name()
        );
        let message = match &observed.target {
            ObservedTarget::Object(_) => messages::COULD_NOT_DELETE_RESOURCE,
            _ => messages::COULD_NOT_DELETE,
        };
        return Err(Failure::new(message, Cause::INVALID_SPEC, text));
    }
    match &observed.target {
        ObservedTarget::Object(None) => Ok(TargetPlan::Object(ObjectPlan::Gone)),
        ObservedTarget::Object(Some(live)) if live.is_controlled_by(uid(object)) => {
            Ok(TargetPlan::Object(ObjectPlan::Delete(live.deletion())))
        }
        ObservedTarget::Object(Some(_)) => Err(foreign_object(object)),
        ObservedTarget::Row(row) if row.is_controlled_by(uid(object)) => {
            Ok(TargetPlan::Delete(row.deletion()))
        }
        ObservedTarget::Absent if was_deleted(object) => Ok(TargetPlan::Gone),
        _ => Ok(TargetPlan::LookToDelete(object.target_name().to_owned())),
    }
}

fn foreign_object(object: &ExternalSecret) -> Failure {
    let text = format!(
        "unable to delete {}: it is not controlled by this ExternalSecret and stays",
        object.target_name()
    );
    Failure::new(messages::COULD_NOT_DELETE_RESOURCE, Cause::CONFLICT, text)
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

/// The deletion of a target that was read because the mirror could not say whose it is; `None`
/// when it does not exist.
pub fn confirm_deletion(
    object: &ExternalSecret,
    live: Option<&Secret>,
    settings: &Settings,
) -> Result<Option<TargetDelete>, Failure> {
    let Some(live) = live else {
        return Ok(None);
    };
    let row = TargetRow::of(live, &settings.salt);
    if row.is_controlled_by(uid(object)) {
        return Ok(Some(row.deletion()));
    }
    let text = format!(
        "unable to delete secret {}: it is not controlled by this ExternalSecret and stays",
        row.name
    );
    Err(Failure::new(
        messages::COULD_NOT_DELETE,
        Cause::CONFLICT,
        text,
    ))
}

/// The failure of a deletion that is held because too much of a store vanished at once.
pub fn deletion_held(store: StoreKey) -> Failure {
    let text = format!(
        "many secrets of {store} vanished at once, so nothing is deleted; if it is meant, annotate \
         the store with {}=\"true\"",
        keys::ANNOTATION_ALLOW_MASS_DELETION
    );
    Failure::new(messages::COULD_NOT_DELETE, Cause::DELETION_HELD, text)
        .retrying(Retry::Slow)
        .from_store(store)
}

fn was_deleted(object: &ExternalSecret) -> bool {
    let status = object.status.as_ref();
    let reason = status.and_then(|status| ready_reason(&status.conditions));
    reason == Some(reasons::SECRET_DELETED)
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
        render(object, data, means).map_err(|error| template_failed(object, error, exists))?
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

fn write_plan(target: &ObservedTarget, desired: Desired, settings: &Settings) -> TargetPlan {
    match target {
        ObservedTarget::Row(row) if row.is_in_sync(&desired, &settings.salt) => TargetPlan::InSync,
        ObservedTarget::Absent if desired.write.creates() => TargetPlan::Create(desired),
        _ => TargetPlan::Look(desired),
    }
}

/// Former targets: named otherwise, marked as made by this object, and controlled by it. A copy
/// that someone made with all labels is not.
fn orphans(observed: &Observed<'_>) -> Vec<TargetDelete> {
    let object = &observed.object;
    let mark = created_by(object);
    let former = observed.former_targets.iter().filter(|row| {
        &*row.name != object.target_name()
            && row.created_by.as_deref() == Some(mark.as_str())
            && row.is_controlled_by(uid(object))
            && !row.deleting
    });
    former.map(|row| row.deletion()).collect()
}
