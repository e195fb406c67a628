//! A connection as the rest of the program sees it: reads by path and title or by system and account, and
//! pushes that make secrets. Members, searches and deletions are not there, as in the original.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use lockstep_provider_api::prelude::*;
use lockstep_provider_kit::Address;

use crate::api;
use crate::path::Place;
use crate::push::Pushing;
use crate::session::{Session, Sessions};
use crate::spec::Server;

const NOT_IMPLEMENTED: &str = "not implemented";

/// A connection to a Password Safe.
pub struct BeyondtrustStore {
    ctx: Ctx,
    base: Address,
    server: Server,
    /// `None` for a ClusterSecretStore that is checked without a caller whose credentials it would take.
    sessions: Option<Sessions>,
}

impl BeyondtrustStore {
    pub(crate) fn new(ctx: Ctx, base: Address, server: Server, sessions: Option<Sessions>) -> Self {
        Self {
            ctx,
            base,
            server,
            sessions,
        }
    }

    fn sessions(&self) -> Result<&Sessions> {
        self.sessions.as_ref().ok_or_else(|| {
            Error::invalid_spec("a credential has no namespace and the store has no caller yet")
        })
    }

    /// Runs something within the session, once more where the server refuses that.
    async fn within<'a, T>(
        &'a self,
        run: impl Fn(Arc<Session>) -> BoxFuture<'a, Result<T>> + Send,
    ) -> Within<T> {
        let sessions = self.sessions()?;
        let mut session = sessions.current().await?;
        let mut result = run(Arc::clone(&session)).await;
        if matches!(&result, Err(error) if error.kind() == &ErrorKind::Unauthenticated) {
            session = sessions.renewed(session).await?;
            result = run(Arc::clone(&session)).await;
        }
        Ok((session, result))
    }

    async fn fetch(&self, session: &Session, place: &Place) -> Result<SecretValue> {
        if self.server.is_secrets_safe() {
            api::secret(&session.rest, &self.server, place).await
        } else {
            api::account(&session.rest, place).await
        }
    }
}

/// The session to be given back and what was done in it; an error if there is no session.
type Within<T> = Result<(Arc<Session>, Result<T>)>;

/// Whether a failure ends the session. An outage says nothing of it, and cannot be signed out of.
fn ends_session<T>(result: &Result<T>) -> bool {
    let failed = |error: &Error| error.kind() != &ErrorKind::Unreachable;
    result.as_ref().is_err_and(failed)
}

impl Store for BeyondtrustStore {
    /// Neither property nor version is looked at.
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let place = Place::parse(&self.server, &reference.key)?;
        let place = &place;
        let read = |session: Arc<Session>| async move { self.fetch(&session, place).await }.boxed();
        let within = self.within(read).await;
        let (session, read) =
            within.map_err(|error| error.context("error getting authentication"))?;
        self.sessions()?
            .give_back(session, ends_session(&read))
            .await;
        read.map_err(|error| error.context("error getting secret/managed account"))
    }

    async fn get_map(&self, _reference: &RemoteRef) -> Result<SecretMap> {
        Err(Error::unsupported(NOT_IMPLEMENTED))
    }

    async fn find(&self, _find: &Find) -> Result<SecretMap> {
        Err(Error::unsupported("GetAllSecrets not implemented"))
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        let pushing = Pushing::new(item)?;
        let (pushing, server) = (&pushing, &self.server);
        let create =
            |session: Arc<Session>| async move { pushing.create(&session, server).await }.boxed();
        let within = self.within(create).await;
        let (session, pushed) = within.map_err(|error| error.context("Error in authentication"))?;
        self.sessions()?.give_back(session, false).await;
        pushed.map(|()| Pushed::Created)
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        let title = &target.remote_key;
        let search = |session: Arc<Session>| {
            async move { api::has_title(&session.rest, title).await }.boxed()
        };
        let (session, found) = self.within(search).await?;
        self.sessions()?.give_back(session, false).await;
        found
    }

    /// A connection is all that upstream tries.
    async fn check(&self) -> Check {
        match self.base.reach(&self.ctx).await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error),
        }
    }
}
