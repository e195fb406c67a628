//! Which version is the one that is wanted, without reading its value: the metadata of a secret names
//! its current version and what was deleted. KV v1 has nothing of the kind.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::refusal::Refusal;

use crate::api::{Kv, member, number, text};
use crate::spec::Version;

impl Kv {
    /// A word that changes whenever the value does; `None` where only a read can tell, or where the
    /// right to read metadata is missing.
    pub async fn current_version(
        &self,
        reference: &RemoteRef,
        refusal: &Refusal,
    ) -> Result<Option<String>> {
        let now = self.connection.ctx().now();
        let is_value = reference.metadata == MetadataPolicy::None;
        if self.version() == Version::V1 || !is_value || refusal.holds(now) {
            return Ok(None);
        }
        let metadata = match self.metadata(&reference.key).await {
            Ok(metadata) => metadata,
            // The read reports what is missing, and why.
            Err(failure) if failure.is_missing() => return Ok(None),
            Err(failure) if *failure.error.kind() == ErrorKind::Denied => {
                refusal.note(now);
                return Ok(None);
            }
            Err(failure) => return Err(failure.error),
        };
        let newest = member(&metadata, "current_version").map_or(0, number);
        let wanted = reference.wanted_version().map(str::to_owned);
        let wanted = wanted.filter(|version| version != "0");
        let wanted = wanted.unwrap_or_else(|| newest.to_string());
        let versions = member(&metadata, "versions");
        let Some(version) = versions.and_then(|versions| member(versions, &wanted)) else {
            return Ok(None);
        };
        let destroyed =
            member(version, "destroyed") == Some(&lockstep_provider_api::json::Value::Bool(true));
        // A name that was deleted and written again begins at one.
        Ok(Some(format!(
            "{wanted} {} {} {destroyed}",
            text(version, "created_time"),
            text(version, "deletion_time")
        )))
    }
}
