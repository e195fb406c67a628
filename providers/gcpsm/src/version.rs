//! Which version is the one that is wanted, without reading its payload: a request that is not
//! billed as an access and carries no secret.

use lockstep_provider_api::prelude::*;

use crate::error::Failure;
use crate::state::LATEST;
use crate::store::Connection;

impl Connection {
    /// The number of the wanted version; `None` where only a read can tell, or where the right to
    /// look at versions is missing.
    pub(crate) async fn current_version(&self, reference: &RemoteRef) -> Result<Option<String>> {
        if reference.metadata == MetadataPolicy::Fetch || !self.may_view() {
            return Ok(None);
        }
        let wanted = reference.wanted_version().unwrap_or(LATEST);
        let asked = self.api.version(&reference.key, wanted).await;
        match self.viewed(asked) {
            Ok(version) if version.state == "ENABLED" => Ok(Some(version.number().to_owned())),
            Ok(_) => Ok(None),
            Err(failure) if failure.is_denied() => Ok(None),
            Err(failure) => Err(failure.error),
        }
    }

    /// Whether the identity is not known to lack the right to look at secrets and versions.
    pub(crate) fn may_view(&self) -> bool {
        !self.refusal.holds(self.api.ctx().now())
    }

    /// Hands an outcome on and remembers a refused right.
    pub(crate) fn viewed<T>(&self, outcome: Result<T, Failure>) -> Result<T, Failure> {
        if let Err(failure) = &outcome
            && failure.is_denied()
        {
            self.refusal.note(self.api.ctx().now());
        }
        outcome
    }
}
