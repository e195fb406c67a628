//! Tokens that logins gave, so that they can be renewed, and revoked when the process ends. Which
//! token is used is decided by the token cache.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::join_all;
use jiff::Timestamp;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::Fingerprint;

use super::Identity;
use super::login::Granted;

/// Most sessions that are kept; further ones end by themselves.
const CAPACITY: usize = 4096;

/// A token that a login gave.
#[derive(Clone)]
pub(super) struct Session {
    pub(super) token: SecretValue,
    pub(super) seconds: u64,
    pub(super) is_renewable: bool,
    pub(super) since: Timestamp,
    pub(super) identity: Identity,
}

/// The sessions of all identities.
#[derive(Default)]
pub(super) struct Sessions(Mutex<State>);

#[derive(Default)]
struct State {
    held: BTreeMap<Fingerprint, Session>,
    is_announced: bool,
}

impl Sessions {
    pub(super) fn since(&self, key: Fingerprint) -> Option<Timestamp> {
        self.lock().held.get(&key).map(|session| session.since)
    }

    /// The session of an identity, where its token can be renewed.
    pub(super) fn renewable(&self, key: Fingerprint) -> Option<Session> {
        let session = self.lock().held.get(&key).cloned();
        session.filter(|session| session.is_renewable)
    }

    pub(super) fn renewed(&self, key: Fingerprint, granted: &Granted) {
        if let Some(session) = self.lock().held.get_mut(&key) {
            session.is_renewable = granted.is_renewable;
        }
    }

    pub(super) fn remove(&self, key: Fingerprint, token: &SecretValue) {
        let mut state = self.lock();
        if state
            .held
            .get(&key)
            .is_some_and(|held| held.token == *token)
        {
            state.held.remove(&key);
        }
    }

    /// Keeps a session and makes sure that it is revoked at the end.
    pub(super) fn insert(self: &Arc<Self>, key: Fingerprint, session: Session, ctx: &Ctx) {
        let mut state = self.lock();
        if state.held.len() < CAPACITY || state.held.contains_key(&key) {
            state.held.insert(key, session);
        }
        if !state.is_announced {
            state.is_announced = true;
            let sessions = Arc::clone(self);
            ctx.at_end(move || Box::pin(async move { sessions.revoke_all().await }));
        }
    }

    async fn revoke_all(&self) {
        let held = std::mem::take(&mut self.lock().held);
        let all = held.values();
        let all = all.map(|session| session.identity.revoke(&session.token));
        join_all(all).await;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
