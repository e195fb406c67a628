//! What a push makes of a remote Secret: which data it holds afterwards and how labels and
//! annotations of both sides are merged. Pure; sending it is the store's business.

use lockstep_provider_api::metadata;
use lockstep_provider_api::prelude::*;
use serde::Deserialize;

use crate::secret::{Stored, Strings};

const DEFAULT_TYPE: &str = "Opaque";

/// The `metadata` of a push entry.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct PushMetadata {
    /// Whether the entry's labels join those of the source Secret or stand in for them.
    source_merge_policy: String,
    /// What happens to the labels the remote Secret has.
    target_merge_policy: String,
    labels: Strings,
    annotations: Strings,
    /// Namespace to push to in place of the store's.
    pub(crate) remote_namespace: String,
}

impl PushMetadata {
    /// Reads an entry's metadata; without any, the defaults hold.
    pub(crate) fn parse(metadata: Option<&serde_json::Value>) -> Result<Self> {
        let parsed = metadata::parse::<Self>(metadata);
        let parsed = parsed.map_err(|error| error.context("unable to parse metadata parameters"));
        Ok(parsed?.unwrap_or_default())
    }

    /// Labels or annotations the push brings along.
    fn source(&self, source: &Strings, own: &Strings) -> Result<Strings> {
        match self.source_merge_policy.as_str() {
            "" | "Merge" => Ok(joined(source, own)),
            "Replace" => Ok(own.clone()),
            other => Err(Error::invalid_spec(format!(
                "failed to merge source metadata: unexpected source merge policy {other:?}"
            ))),
        }
    }

    /// Labels or annotations the remote Secret has afterwards.
    fn target(&self, remote: &Strings, pushed: &Strings) -> Result<Strings> {
        match self.target_merge_policy.as_str() {
            "" | "Merge" => Ok(joined(remote, pushed)),
            "Replace" => Ok(pushed.clone()),
            "Ignore" => Ok(remote.clone()),
            other => Err(Error::invalid_spec(format!(
                "failed to merge target metadata: unexpected target merge policy {other:?}"
            ))),
        }
    }
}

/// Refuses an item before anything is asked of the server.
pub(crate) fn validate(item: &PushItem) -> Result<()> {
    if item.wanted_key().is_some() && item.target.wanted_property().is_none() {
        return Err(Error::invalid_spec(
            "requires property in RemoteRef to push secret value if secret key is defined",
        ));
    }
    Ok(())
}

/// The remote Secret as it should be after the push.
pub(crate) fn pushed(remote: &Stored, item: &PushItem, metadata: &PushMetadata) -> Result<Stored> {
    let mut wanted = remote.clone();
    wanted.secret_type = match item.secret_type.as_deref() {
        None | Some("") => DEFAULT_TYPE.to_owned(),
        Some(other) => other.to_owned(),
    };
    let fields = [
        ("labels", &item.labels, &metadata.labels),
        ("annotations", &item.annotations, &metadata.annotations),
    ];
    for (field, source, own) in fields {
        let brought = metadata.source(source, own)?;
        wanted.set_strings(field, metadata.target(&remote.strings(field), &brought)?);
    }
    match item.target.wanted_property() {
        None => wanted.data = item.source.clone(),
        Some(property) => {
            wanted.data.insert(property, item.value_or_empty());
        }
    }
    Ok(wanted)
}

fn joined(below: &Strings, above: &Strings) -> Strings {
    let mut all = below.clone();
    all.extend(above.clone());
    all
}

#[cfg(test)]
mod tests;
