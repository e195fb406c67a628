//! Runs the planner over the files: decide, fetch from the remote file, plan, mutate. What comes out is the
//! Secret as the operator would create it, or complaints.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Secret;
use lockstep_api::ExternalSecret;
use lockstep_plan::external_secret::{
    Decision, Kept, Mutation, Observed, ObservedTarget, SourceKind, TargetPlan, TemplateSources,
    assembled_keys, decide, mutate, plan, template_sources,
};
use lockstep_plan::manifest_target::{Object, ObjectPlan, ObjectRef};
use lockstep_plan::target::{Desired, Write};
use lockstep_plan::{Budget, EventNote, Failure, Settings, Work};
use lockstep_provider_api::context::Time;
use lockstep_runtime::clock::SystemTime;

use super::answers::{self, AnyStore};
use super::complaint::Complaint;
use super::files::Files;
use super::flags::RenderFlags;
use super::input::Input;
use super::locate::Located;
use crate::folder_world::data_of;
use crate::name::Name;

/// What a render ends with.
pub(crate) struct Outcome {
    /// The object it was made of.
    pub(crate) object: ExternalSecret,
    /// What would be written; `None` where nothing would.
    pub(crate) made: Option<Made>,
    /// What is worth knowing beside it.
    pub(crate) notes: Vec<String>,
}

/// What would be written.
pub(crate) enum Made {
    Secret(Box<Secret>),
    /// A target that is no Secret.
    Object(Object),
}

/// Renders the ExternalSecret of the files.
pub(crate) fn of(
    flags: &RenderFlags,
    files: &Files,
    settings: &Settings,
) -> Result<Outcome, Vec<Complaint>> {
    let input = Input::read(flags, files)?;
    let object = input.object.clone();
    let mut located = Located::new(&input, files, flags.reveal);
    let observed = Observed {
        object: object.clone(),
        namespace_labels: Some(Arc::default()),
        stores: &AnyStore,
        target: match ObjectRef::of(&object) {
            Some(_) => ObservedTarget::Object(None),
            None => ObservedTarget::Absent,
        },
        former_targets: Vec::new(),
        last_refresh: None,
        inputs_changed: false,
        asked: SystemTime.now(),
        sources: sources(&input),
        jitter: 0.0,
    };
    let (target, events) = planned(&observed, &input, settings, &mut located)
        .map_err(|failure| vec![located.complaint(&failure)])?;
    let mut notes: Vec<String> = events.into_iter().map(|event| event.message).collect();
    let made = made(target, &mut notes).map_err(|failure| vec![located.complaint(&failure)])?;
    Ok(Outcome {
        object,
        made,
        notes,
    })
}

fn planned(
    observed: &Observed<'_>,
    input: &Input,
    settings: &Settings,
    located: &mut Located<'_>,
) -> Result<(TargetPlan, Vec<EventNote>), Failure> {
    let now = SystemTime.now();
    let list = match decide(observed, settings, now).decision {
        Decision::Fetch(list) => list,
        Decision::Fail(failure) => return Err(failure),
        // A new object is always fetched for.
        _ => return Ok((TargetPlan::Keep(Kept::NotWanted), Vec::new())),
    };
    let namespace = observed
        .object
        .metadata
        .namespace
        .as_deref()
        .unwrap_or_default();
    let answers = answers::answer(&list, &input.remote, &input.manifests, namespace);
    located.missed = answers.missed;
    let work = Work {
        settings,
        now,
        budget: &Budget::new(settings.template_limits),
    };
    let answers = &answers.payloads;
    located.keys = assembled_keys(&observed.object, &list, answers, (settings, now))?;
    let plan = plan(observed, &list, answers, work)?;
    Ok((plan.target, plan.events))
}

/// The texts `templateFrom` names.
fn sources(input: &Input) -> TemplateSources {
    let namespace = input
        .object
        .metadata
        .namespace
        .as_deref()
        .unwrap_or_default();
    let mut sources = TemplateSources::new();
    for key in template_sources(&input.object) {
        let name = Name::new(namespace, &*key.name);
        let (data, kind) = match key.kind {
            SourceKind::ConfigMap => (
                input.manifests.config_maps.get(&name).cloned(),
                "configmaps",
            ),
            SourceKind::Secret => (input.manifests.secrets.get(&name).map(data_of), "secrets"),
        };
        let data = data.ok_or_else(|| format!("{kind} {:?} not found", key.name));
        sources.insert(key, data);
    }
    sources
}

fn made(target: TargetPlan, notes: &mut Vec<String>) -> Result<Option<Made>, Failure> {
    let desired = match target {
        TargetPlan::Object(ObjectPlan::Create(object)) => return Ok(Some(Made::Object(object))),
        TargetPlan::Object(ObjectPlan::Missing) => {
            notes.push("nothing is written: creationPolicy is Merge".to_owned());
            return Ok(None);
        }
        TargetPlan::Create(desired) | TargetPlan::Look(desired) => desired,
        TargetPlan::Keep(Kept::NotWanted) => {
            notes.push("nothing is written: creationPolicy is None".to_owned());
            return Ok(None);
        }
        TargetPlan::Keep(Kept::Retained) => {
            let text = "nothing is written: the remote store has no data, and deletionPolicy is \
                        Retain";
            notes.push(text.to_owned());
            return Ok(None);
        }
        _ => {
            let text = "the Secret is deleted: the remote store has no data, and deletionPolicy is \
                        Delete";
            notes.push(text.to_owned());
            return Ok(None);
        }
    };
    let desired = if desired.write == Write::Merge {
        notes.push(format!(
            "creationPolicy is Merge: this is put into Secret {}, which must exist",
            desired.name
        ));
        Desired {
            write: Write::CreateOrMerge,
            ..desired
        }
    } else {
        desired
    };
    Ok(match mutate(&desired, None)? {
        Mutation::Create(secret) | Mutation::Replace(secret) => Some(Made::Secret(secret)),
        Mutation::Unchanged | Mutation::Missing => None,
    })
}
