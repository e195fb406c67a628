//! What a store's governor reports about the store: why it cannot be reached, and whether its
//! credentials are refused.

use std::sync::Arc;

use lockstep_plan::StoreKey;
use lockstep_plan::store::StoreRecord;
use lockstep_provider_api::{Error, ErrorKind};

use super::StoreGovernor;
use crate::client::RemoteClient;
use crate::client::probe_read::ProbeRead;

impl StoreGovernor {
    /// Returns what is wrong with the store as a whole: it cannot be reached, or its credentials are
    /// refused.
    pub(in crate::client) fn trouble(&self) -> Option<Error> {
        let state = self.state();
        if state.governor.is_open() {
            let text = state.trouble.way().unwrap_or("it does not answer");
            return Some(Error::unreachable(text));
        }
        let refused = state.trouble.refused();
        refused.map(|text| Error::new(ErrorKind::Unauthenticated, text))
    }

    /// Notes how a call of a key ended; `read` makes it again.
    pub(super) fn note_outcome(
        &self,
        key: u64,
        failure: Option<&Error>,
        read: impl Fn() -> Arc<ProbeRead>,
    ) {
        let failed = failure.map(|_| read());
        let mut state = self.state();
        match &failed {
            Some(failed) => state.trouble.note(key, failure, &failed.read),
            None => state.trouble.answered(key),
        }
    }

    /// Notes why the store's own check did not reach it.
    pub(in crate::client) fn note_check(&self, failure: &Error) {
        self.state().trouble.note_check(failure);
    }

    /// Whether the end of a call may change what is known about the store's credentials.
    pub(in crate::client) fn watches_credentials(&self, failure: Option<&Error>) -> bool {
        let refused = failure.is_some_and(|error| *error.kind() == ErrorKind::Unauthenticated);
        let state = self.state();
        refused || state.trouble.refused().is_some() || !state.trouble.was_taken()
    }

    /// Notes whether the backend accepted the store's credentials. Returns whether that is news.
    fn note_credentials(&self, failure: Option<&Error>) -> bool {
        self.state().trouble.note_credentials(failure)
    }
}

impl RemoteClient {
    /// Returns what is wrong with a store as a whole, as far as its calls told: it cannot be reached, or
    /// its credentials are refused.
    pub fn trouble(&self, store: &StoreKey) -> Option<Error> {
        let governor = self.governors().get(store).cloned();
        governor.and_then(|governor| governor.trouble())
    }

    /// Returns the stores whose breaker is open.
    pub fn open_stores(&self) -> Vec<StoreKey> {
        let governors = self.governors();
        let open = governors.iter().filter(|(_, one)| one.is_open());
        open.map(|(store, _)| store.clone()).collect()
    }

    /// Notes whether a backend accepted the credentials that a store owns. A caller's own credentials are
    /// reported by the caller's objects.
    pub(in crate::client) fn note_credentials(
        &self,
        governor: &StoreGovernor,
        store: &StoreRecord,
        failure: Option<&Error>,
    ) {
        let refused = failure.is_some_and(|error| *error.kind() == ErrorKind::Unauthenticated);
        if refused && self.connections.depends_on_caller(store) {
            return;
        }
        if governor.note_credentials(failure)
            && let Some(observer) = self.observer()
        {
            observer.troubled(&governor.store);
        }
    }
}
