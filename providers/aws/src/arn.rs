//! Keys that are ARNs. A malformed one, or one of another region, cannot lead to a secret of this
//! store; AWS answers some of these as if the secret were missing, which must not delete anything.

use lockstep_provider_api::prelude::*;

/// Refuses an ARN that cannot name an object of this service and region; other keys are fine.
pub(crate) fn check(id: &str, service: &str, region: &str) -> Result<()> {
    if !id.starts_with("arn:") {
        return Ok(());
    }
    let parts: Vec<&str> = id.splitn(6, ':').collect();
    let &[_, partition, named_service, named_region, _, resource] = parts.as_slice() else {
        return Err(malformed(id, service, region));
    };
    if partition.is_empty() || named_service != service || resource.is_empty() {
        return Err(malformed(id, service, region));
    }
    if named_region != region {
        return Err(Error::invalid_spec(format!(
            "{id:?} is in region {named_region:?}, but the store's region is {region:?}; \
             use a store of that region"
        )));
    }
    Ok(())
}

fn malformed(id: &str, service: &str, region: &str) -> Error {
    Error::invalid_spec(format!(
        "{id:?} is not an ARN of {service}; it should look like arn:aws:{service}:{region}:ACCOUNT:…"
    ))
}
