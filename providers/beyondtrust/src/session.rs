//! The session that all reads and pushes of a connection share. It is made by the first who needs it, made
//! again when the server refuses it, and signed out after a failed read as soon as nobody uses it any more,
//! so that nobody is signed out by another's failure.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_lock::Mutex;
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::{Rest, Scheme, StaticHeader};

use crate::auth::{Credentials, User};
use crate::error;

/// Makes and keeps the session.
pub(crate) struct Sessions {
    rest: Rest,
    credentials: Credentials,
    current: Mutex<Option<Arc<Session>>>,
}

/// A session at the server.
pub(crate) struct Session {
    pub(crate) rest: Rest,
    pub(crate) user: User,
    ends: AtomicBool,
}

impl Sessions {
    pub(crate) fn new(rest: Rest, credentials: Credentials) -> Self {
        Self {
            rest,
            credentials,
            current: Mutex::new(None),
        }
    }

    /// The session, by a sign-in where there is none.
    pub(crate) async fn current(&self) -> Result<Arc<Session>> {
        let mut current = self.current.lock().await;
        if let Some(session) = &*current {
            return Ok(Arc::clone(session));
        }
        let (cookie, user) = self.credentials.sign_in(&self.rest).await?;
        let rest = self.rest.clone();
        let rest = match cookie {
            Some(cookie) => rest.signed(StaticHeader::new(Scheme::COOKIE, cookie)),
            None => rest,
        };
        let session = Arc::new(Session {
            rest,
            user,
            ends: AtomicBool::new(false),
        });
        *current = Some(Arc::clone(&session));
        Ok(session)
    }

    /// A new session in place of one that the server refused.
    pub(crate) async fn renewed(&self, refused: Arc<Session>) -> Result<Arc<Session>> {
        self.forget(&refused).await;
        drop(refused);
        self.current().await
    }

    /// Gives a session back after use. One that shall end is signed out by the last who gives it back.
    pub(crate) async fn give_back(&self, session: Arc<Session>, failed: bool) {
        if failed {
            session.ends.store(true, Ordering::Relaxed);
            self.forget(&session).await;
        }
        let Some(last) = Arc::into_inner(session) else {
            return;
        };
        if last.ends.into_inner() {
            let request = last.rest.post("/Auth/Signout");
            let request = request.header("content-type", "application/json");
            // A session that cannot be ended ends by itself after some minutes.
            let _ = last.rest.send("Signout", request, error::check).await;
        }
    }

    async fn forget(&self, session: &Arc<Session>) {
        let mut current = self.current.lock().await;
        if current
            .as_ref()
            .is_some_and(|held| Arc::ptr_eq(held, session))
        {
            *current = None;
        }
    }
}
