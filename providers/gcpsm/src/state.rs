//! Why a secret cannot be read: it is missing, has no version, or the version that is wanted is
//! disabled, about to be destroyed or destroyed. One more question may be asked where the first
//! answer leaves that open; without the right to ask it, the first answer stands.

use lockstep_provider_api::error::Tombstone;
use lockstep_provider_api::prelude::*;

use crate::error::Failure;
use crate::store::Connection;

/// Upstream's words in front of a failed read.
pub(crate) const UNREADABLE: &str = "unable to access Secret from SecretManager Client";

/// What is read where no version is named.
pub(crate) const LATEST: &str = "latest";

impl Connection {
    /// The error that a failed read stands for.
    pub(crate) async fn explained(&self, failure: Failure, key: &str, version: &str) -> Error {
        let error = if failure.is_missing() {
            self.absent(failure, key, version).await
        } else if let Some(state) = failure.dead_version() {
            self.tombstone(failure, state, key, version).await
        } else {
            failure.error
        };
        error.context(UNREADABLE)
    }

    /// A missing secret, or one without versions. Both count as absent, as upstream has it.
    async fn absent(&self, failure: Failure, key: &str, version: &str) -> Error {
        let missing = Error::not_found().with_source(failure.error);
        if version != LATEST || !self.may_view() {
            return missing;
        }
        match self.viewed(self.api.secret(key).await) {
            Ok(_) => {
                let tombstone = Tombstone {
                    state: "without a version".into(),
                    until: None,
                    counts_as_absent: true,
                };
                let text = format!(
                    "{missing} (secret {key:?} is there, but has no version; add one with: gcloud \
                     secrets versions add {key} --data-file=FILE {})",
                    self.api.flags()
                );
                Error::new(ErrorKind::Tombstoned(tombstone), text).advised()
            }
            Err(_) => missing,
        }
    }

    /// A version that is there but cannot be read: an error, never absence, as upstream has it.
    async fn tombstone(
        &self,
        failure: Failure,
        state: &'static str,
        key: &str,
        version: &str,
    ) -> Error {
        let mut until = None;
        let mut number = version.to_owned();
        if self.may_view()
            && let Ok(found) = self.viewed(self.api.version(key, version).await)
        {
            until = found.scheduled_destroy_time;
            found.number().clone_into(&mut number);
        }
        let flags = self.api.flags();
        let help = match (state, until) {
            ("destroyed", _) => "it cannot be recovered; add a new version".to_owned(),
            (_, Some(date)) => format!(
                "it will be destroyed on {}; keep it with: gcloud secrets versions enable \
                 {number} --secret={key} {flags}",
                date.strftime("%Y-%m-%d")
            ),
            _ => format!(
                "enable it with: gcloud secrets versions enable {number} --secret={key} {flags}"
            ),
        };
        let fetch = if version == LATEST {
            "; secretVersionSelectionPolicy: LatestOrFetch reads the newest enabled version"
        } else {
            ""
        };
        let tombstone = Tombstone {
            state: match until {
                Some(_) => "scheduled for destruction".into(),
                None => state.into(),
            },
            until,
            counts_as_absent: false,
        };
        let text = format!("{} ({help}{fetch})", failure.error);
        Error::new(ErrorKind::Tombstoned(tombstone), text).advised()
    }
}
