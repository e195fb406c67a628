//! One session for all reads that run at the same time: the first signs in, the last signs out. A
//! session is nobody's beyond a store's own connection, so that no store can end another's.

use std::sync::Arc;

use async_lock::Mutex;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Rest;

use crate::auth::sign_in;
use crate::openpgp::PrivateKey;
use crate::session::Session;

/// Who may sign in, and the session that is open.
pub(crate) struct Gate {
    rest: Rest,
    key: Arc<PrivateKey>,
    open: Mutex<Option<Arc<Session>>>,
}

impl Gate {
    pub(crate) fn new(rest: Rest, key: Arc<PrivateKey>) -> Self {
        Self {
            rest,
            key,
            open: Mutex::new(None),
        }
    }

    /// A session that the server takes.
    pub(crate) async fn enter(&self) -> Result<Arc<Session>> {
        let session = self.join().await?;
        if session.is_live().await? {
            return Ok(session);
        }
        let mut open = self.open.lock().await;
        match &*open {
            Some(other) if !Arc::ptr_eq(other, &session) => Ok(Arc::clone(other)),
            _ => Ok(Arc::clone(open.insert(self.sign_in().await?))),
        }
    }

    /// The session that is open, or a new one.
    pub(crate) async fn join(&self) -> Result<Arc<Session>> {
        let mut open = self.open.lock().await;
        match &*open {
            Some(session) => Ok(Arc::clone(session)),
            None => Ok(Arc::clone(open.insert(self.sign_in().await?))),
        }
    }

    /// Signs out where nobody else uses the session. One that was dropped under way stays open for
    /// the next reader, who asks whether it still holds.
    pub(crate) async fn leave(&self, session: Arc<Session>) {
        let mut open = self.open.lock().await;
        let held = open
            .as_ref()
            .is_some_and(|open| Arc::ptr_eq(open, &session));
        // The other one is the gate's own.
        if held && Arc::strong_count(&session) == 2 {
            *open = None;
            drop(open);
            session.close().await;
        }
    }

    async fn sign_in(&self) -> Result<Arc<Session>> {
        let session = Box::pin(sign_in(&self.rest, &self.key)).await?;
        Ok(Arc::new(session))
    }
}
