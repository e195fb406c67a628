//! Which version of a secret is the one that is wanted, without reading its value. Costs a request as
//! the value does, but needs no key of KMS and carries no secret.

use aws_sdk_secretsmanager::operation::describe_secret::DescribeSecretOutput;
use lockstep_provider_api::prelude::*;

use super::SecretsManager;
use super::refusals::Right;

impl SecretsManager {
    /// The id of the wanted version; `None` where only a read can tell or a batch costs less, or the
    /// right to describe is missing, which is then believed for a while.
    pub(crate) async fn version(
        &self,
        reference: &RemoteRef,
        alone: bool,
    ) -> Result<Option<String>> {
        let (who, now) = (self.caller.sign_in.fingerprint(), self.caller.ctx.now());
        let in_batch = !alone && !self.refusals.knows(Right::Batch, who, now);
        if in_batch
            || reference.metadata == MetadataPolicy::Fetch
            || self.refusals.knows(Right::Describe, who, now)
        {
            return Ok(None);
        }
        let id = self.id(&reference.key)?;
        match self.describe(&id).await {
            Ok(described) => Ok(wanted(&described, reference)),
            Err(failure) if failure.is_denied() => {
                self.refusals.note(Right::Describe, who, now);
                Ok(None)
            }
            Err(failure) => Err(failure.error),
        }
    }
}

fn wanted(described: &DescribeSecretOutput, reference: &RemoteRef) -> Option<String> {
    if described.deleted_date().is_some() {
        return None;
    }
    let versions = described.version_ids_to_stages()?;
    let version = reference.wanted_version().unwrap_or("AWSCURRENT");
    if let Some(id) = version.strip_prefix("uuid/") {
        return versions.contains_key(id).then(|| id.to_owned());
    }
    let mut staged = versions
        .iter()
        .filter(|(_, stages)| stages.iter().any(|stage| stage == version));
    staged.next().map(|(id, _)| id.clone())
}

#[cfg(test)]
mod tests {
    use aws_sdk_secretsmanager::primitives::DateTime;

    use super::*;

    fn version(of: &DescribeSecretOutput, version: Option<&str>) -> Option<String> {
        let reference = RemoteRef {
            version: version.map(str::to_owned),
            ..RemoteRef::key("k")
        };
        wanted(of, &reference)
    }

    #[test]
    fn a_version_is_found_by_stage_or_id_and_a_deleted_secret_has_none() {
        let described = DescribeSecretOutput::builder()
            .version_ids_to_stages("one", vec!["AWSPREVIOUS".to_owned()])
            .version_ids_to_stages("two", vec!["AWSCURRENT".to_owned(), "blue".to_owned()]);
        let deleted = described
            .clone()
            .deleted_date(DateTime::from_secs(1))
            .build();
        let described = described.build();

        assert_eq!(version(&described, None).unwrap(), "two");
        assert_eq!(version(&described, Some("AWSPREVIOUS")).unwrap(), "one");
        assert_eq!(version(&described, Some("blue")).unwrap(), "two");
        assert_eq!(version(&described, Some("uuid/one")).unwrap(), "one");
        assert_eq!(version(&described, Some("uuid/three")), None);
        assert_eq!(version(&described, Some("green")), None);
        assert_eq!(version(&deleted, None), None);
    }
}
