//! What admission refuses, as pure checks with upstream's texts. The controller refuses the same with
//! the same texts, because the webhook may be down or switched off.

use std::collections::BTreeSet;

use lockstep_api::external_secret::{
    CreationPolicy, DataFromEntry, DeletionPolicy, ExternalSecretSpec, Template,
};
use lockstep_api::store::SecretStoreSpec;
use lockstep_golang::duration::Duration;

use crate::pattern::{self, Pattern};
use crate::store;
use crate::window::MOST_WINDOWS;

const SERVICE_ACCOUNT_TOKEN: &str = "kubernetes.io/service-account-token";
const SERVICE_ACCOUNT_NAME: &str = "kubernetes.io/service-account.name";
const BOOTSTRAP_TOKEN: &str = "bootstrap.kubernetes.io/token";

/// All faults of an ExternalSecret, in upstream's order; joined by newlines they are its text.
pub fn external_secret(spec: &ExternalSecretSpec) -> Vec<String> {
    let mut faults = Vec::new();
    faults.extend(policies(spec));
    faults.extend(sources(spec));
    faults.extend(template_faults(spec));
    faults.extend(spec.data_from.iter().flat_map(data_from));
    faults.extend(duplicate_keys(spec));
    faults
}

/// Returns the faults the controller refuses an ExternalSecret for before it reads anything. Faults of
/// templates come later, where the template is rendered. A manifest that is only merged into keeps
/// working under `deletionPolicy: Delete`: it is never deleted, as it is never owned.
pub(crate) fn unsyncable(spec: &ExternalSecretSpec) -> Vec<String> {
    let merges_manifest = *spec.deletion_policy() == DeletionPolicy::Delete
        && spec
            .target
            .as_ref()
            .is_some_and(|target| target.manifest.is_some());
    let mut faults = Vec::new();
    faults.extend(policies(spec).filter(|_| !merges_manifest));
    faults.extend(sources(spec));
    faults.extend(spec.data_from.iter().flat_map(data_from));
    faults.extend(duplicate_keys(spec));
    faults
}

/// Refuses more sync windows than are looked at.
pub fn windows(spec: &ExternalSecretSpec) -> Result<(), String> {
    let count = spec
        .sync_windows
        .as_ref()
        .map_or(0, |all| all.windows.len());
    if count <= MOST_WINDOWS {
        return Ok(());
    }
    Err(format!(
        "spec.syncWindows has {count} windows and may have {MOST_WINDOWS}: join those that overlap"
    ))
}

/// Why an ExternalSecret cannot be read at all: a duration that is none, or too many windows.
pub fn durations(spec: &ExternalSecretSpec) -> Result<(), String> {
    windows(spec)?;
    let windows = spec.sync_windows.iter().flat_map(|all| &all.windows);
    let windows = windows.map(|window| window.duration.as_str());
    let mut written = spec.refresh_interval.as_deref().into_iter().chain(windows);
    written.try_for_each(|text| match Duration::parse(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    })
}

/// Faults of the store `name` that need no knowledge of providers: patterns, interval, one provider.
pub fn store(name: &str, spec: &SecretStoreSpec) -> Result<(), String> {
    let mut faults = Vec::new();
    let budget = pattern::store_budget();
    for (at, condition) in spec.conditions.iter().enumerate() {
        for (which, pattern) in condition.namespace_regexes.iter().enumerate() {
            if let Err(error) = Pattern::compile_within(pattern, &budget) {
                faults.push(format!(
                    "failed to compile {which}th namespace regex in {at}th condition: {error}"
                ));
            }
        }
    }
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    store::interval(spec)?;
    spec.provider
        .only()
        .map(|_| ())
        .map_err(|error| store::no_provider(name, &error))
}

/// Templates that would make credentials of the cluster, and targets a Secret does not have.
pub(crate) fn secret_template(spec: &ExternalSecretSpec) -> Result<(), String> {
    template_faults(spec).into_iter().next().map_or(Ok(()), Err)
}

fn policies(spec: &ExternalSecretSpec) -> Option<String> {
    use CreationPolicy::{CreateOrMerge, Merge, None as Never};
    let text = match (spec.deletion_policy(), spec.creation_policy()) {
        (DeletionPolicy::Delete, Merge | Never | CreateOrMerge) => {
            "deletionPolicy=Delete must not be used when the controller doesn't own the secret. \
             Please set creationPolicy=Owner"
        }
        (DeletionPolicy::Merge, Never) => {
            "deletionPolicy=Merge must not be used with creationPolicy=None. There is no Secret to \
             merge with"
        }
        _ => return None,
    };
    Some(text.to_owned())
}

fn sources(spec: &ExternalSecretSpec) -> Option<String> {
    let none = spec.data.is_empty() && spec.data_from.is_empty();
    none.then(|| "either data or dataFrom should be specified".to_owned())
}

fn template_faults(spec: &ExternalSecretSpec) -> Vec<String> {
    let target = spec.target.as_ref();
    let Some(template) = target.and_then(|target| target.template.as_deref()) else {
        return Vec::new();
    };
    let manifest = target.and_then(|target| target.manifest.as_deref());
    let is_secret =
        manifest.is_none_or(|manifest| manifest.api_version == "v1" && manifest.kind == "Secret");
    let mut faults: Vec<String> = privileged(template).into_iter().collect();
    if is_secret {
        faults.extend(foreign_targets(template));
    }
    faults
}

fn privileged(template: &Template) -> Option<String> {
    let kind = template.type_.as_deref()?;
    if kind == BOOTSTRAP_TOKEN {
        return Some(format!("template.type={kind:?} is not allowed"));
    }
    if kind != SERVICE_ACCOUNT_TOKEN {
        return None;
    }
    let metadata = template.metadata.as_ref();
    if metadata.is_some_and(|metadata| metadata.annotations.contains_key(SERVICE_ACCOUNT_NAME)) {
        return Some(format!(
            "template.type={kind:?} with annotation {SERVICE_ACCOUNT_NAME:?} is not allowed"
        ));
    }
    let mut targets = template
        .template_from
        .iter()
        .filter_map(|entry| entry.target.as_deref());
    targets.find(|target| target.eq_ignore_ascii_case("annotations"))?;
    Some(format!(
        "template.type={kind:?} with templateFrom target=\"Annotations\" is not allowed"
    ))
}

fn foreign_targets(template: &Template) -> impl Iterator<Item = String> {
    let targets = template
        .template_from
        .iter()
        .filter_map(|entry| entry.target.as_deref());
    let foreign = targets.filter(|target| {
        let known = ["", "data", "annotations", "labels"];
        !known.iter().any(|known| target.eq_ignore_ascii_case(known))
    });
    foreign.map(|target| {
        format!(
            "templateFrom target={target:?} is not allowed when targeting a Secret, must be one of \
             \"Data\", \"Annotations\" or \"Labels\""
        )
    })
}

fn data_from(entry: &DataFromEntry) -> Vec<String> {
    let source = entry.source_ref.as_deref();
    let generator = source.is_some_and(|source| source.generator_ref.is_some());
    let kinds = [entry.find.is_some(), entry.extract.is_some(), generator];
    let mut faults = Vec::new();
    if kinds.iter().filter(|given| **given).count() > 1 {
        faults.push("extract, find, or generatorRef cannot be set at the same time");
    }
    if entry.find.is_none() && entry.extract.is_none() && source.is_none() {
        faults.push("either extract, find, or sourceRef must be set to dataFrom");
    }
    if source.is_some_and(|source| source.generator_ref.is_none() && source.store_ref.is_none()) {
        faults.push("generatorRef or storeRef must be set when using sourceRef in dataFrom");
    }
    faults.into_iter().map(str::to_owned).collect()
}

fn duplicate_keys(spec: &ExternalSecretSpec) -> Vec<String> {
    if *spec.deletion_policy() != DeletionPolicy::Retain {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let keys = spec.data.iter().map(|entry| entry.secret_key.as_str());
    let duplicates = keys.filter(|key| !seen.insert(*key));
    duplicates
        .map(|key| format!("duplicate secretKey found: {key}"))
        .collect()
}

#[cfg(test)]
mod tests;
