//! Who may take the lease, decided as client-go does: a lease counts as held for as long as *we*
//! have not seen its record unchanged for its whole duration. The times written in the record are
//! for people; clocks of other machines are not trusted, nor is ours, which may be set. Pure: the time
//! passed since the start is an argument.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::LeaseSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;

#[cfg(test)]
mod tests;

/// What the record allows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Somebody holds the lease.
    Wait {
        /// Who.
        holder: String,
    },
    /// The lease is ours or free: write it.
    Take,
}

/// What is known of a lease.
#[derive(Debug)]
pub(super) struct Election {
    identity: String,
    duration: Duration,
    record: Option<LeaseSpec>,
    /// When the record last changed before our eyes.
    seen: Duration,
}

impl Election {
    pub(super) fn new(identity: String, duration: Duration) -> Self {
        Self {
            identity,
            duration,
            record: None,
            seen: Duration::ZERO,
        }
    }

    /// Whether we hold a lease that has not run out.
    pub(super) fn leads(&self, passed: Duration) -> bool {
        self.holder() == Some(&self.identity) && self.valid(passed)
    }

    /// Takes note of the record as it is stored now.
    pub(super) fn observe(&mut self, record: Option<&LeaseSpec>, passed: Duration) -> Step {
        if self.record.as_ref() != record || self.record.is_none() {
            self.record = record.cloned();
            self.seen = passed;
        }
        match self.holder() {
            Some(holder) if *holder != self.identity && self.valid(passed) => Step::Wait {
                holder: holder.clone(),
            },
            _ => Step::Take,
        }
    }

    /// The record to write.
    pub(super) fn claim(&self, now: Timestamp) -> LeaseSpec {
        let old = self.record.as_ref();
        let ours = self.holder() == Some(&self.identity);
        let transitions = old.and_then(|old| old.lease_transitions);
        let acquired = old.and_then(|old| old.acquire_time.clone());
        let now = MicroTime(now);
        LeaseSpec {
            holder_identity: Some(self.identity.clone()),
            lease_duration_seconds: i32::try_from(self.duration.as_secs()).ok(),
            acquire_time: acquired.filter(|_| ours).or(Some(now.clone())),
            renew_time: Some(now),
            lease_transitions: Some(match (old, ours) {
                (None, _) => 0,
                (Some(_), true) => transitions.unwrap_or(0),
                (Some(_), false) => transitions.unwrap_or(0).saturating_add(1),
            }),
            ..LeaseSpec::default()
        }
    }

    /// The record was written.
    pub(super) fn held(&mut self, record: Option<&LeaseSpec>, passed: Duration) {
        self.record = record.cloned();
        self.seen = passed;
    }

    fn holder(&self) -> Option<&String> {
        let holder = self.record.as_ref()?.holder_identity.as_ref()?;
        (!holder.is_empty()).then_some(holder)
    }

    /// A lease is valid for its own duration after its record last changed before our eyes.
    fn valid(&self, passed: Duration) -> bool {
        let seconds = self.record.as_ref();
        let seconds = seconds.and_then(|record| record.lease_duration_seconds);
        let seconds = u64::try_from(seconds.unwrap_or(0)).unwrap_or(0);
        passed.saturating_sub(self.seen) < Duration::from_secs(seconds)
    }
}
