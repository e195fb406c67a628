//! Objects that GitOps tools would prune: there, with their labels, and not among the manifests.

use std::collections::BTreeMap;

use anyhow::Result;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kube::core::{Selector, SelectorExt};
use lockstep_api::{ExternalSecret, PushSecret};
use lockstep_toolbox::exit::Failure;

use super::{Jobs, job};
use crate::objects::Objects;

/// Reads the labels of `--prune`.
pub(super) fn selector(labels: &str) -> Result<Selector> {
    let mut wanted = BTreeMap::new();
    for pair in labels.split(',') {
        let Some((key, value)) = pair.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            let text =
                format!("--prune {labels}: write labels as KEY=VALUE, with commas between them");
            return Err(Failure::usage(text));
        };
        wanted.insert(key.trim().to_owned(), value.trim().to_owned());
    }
    Ok(Selector::from_iter(wanted))
}

/// Adds objects that are there, carry the labels and are not among the manifests, as deleted ones.
pub(super) fn prune(
    live: &Objects,
    (selector, now): (&Selector, Timestamp),
    pruned: &mut Vec<String>,
    (jobs, push_jobs): (&mut Jobs<ExternalSecret>, &mut Jobs<PushSecret>),
) {
    let matches =
        |metadata: &ObjectMeta| selector.matches(&metadata.labels.clone().unwrap_or_default());
    for (key, object) in &live.external_secrets {
        if !jobs.contains_key(key) && matches(&object.metadata) {
            let mut object = object.clone();
            object.metadata.deletion_timestamp = Some(Time(now));
            let name = format!("ExternalSecret {key}");
            jobs.insert(key.clone(), job(object, &format!("{name} is pruned")));
            pruned.push(name);
        }
    }
    for (key, object) in &live.push_secrets {
        if !push_jobs.contains_key(key) && matches(&object.metadata) {
            let mut object = object.clone();
            object.metadata.deletion_timestamp = Some(Time(now));
            let name = format!("PushSecret {key}");
            push_jobs.insert(key.clone(), job(object, &format!("{name} is pruned")));
            pruned.push(name);
        }
    }
}
