//! A token of a login that is used for one purpose alone. It is neither shared nor renewed, and it
//! outlives the process: what was made with it ends with it.

use lockstep_provider_api::prelude::*;

use super::{Identity, Source};
use crate::server::Server;

impl Identity {
    /// The same identity with a token of its own, and the seconds that the token lives; `None` for one
    /// without an end, or that somebody else renews.
    pub(crate) async fn with_own_token(&self) -> Result<(Self, Option<u64>)> {
        let Source::Login(login, _) = &self.0.source else {
            return Ok((self.clone(), None));
        };
        let namespace = self.0.namespace.clone();
        let granted = Box::pin(login.log_in(&self.0.server, namespace.as_deref())).await?;
        let life = granted.life();
        let server = Server::new(self.0.server.address().clone(), self.0.server.ctx().clone())?;
        let source = Source::Own(granted.token);
        Ok((
            Self::new(self.0.who.clone(), source, server, namespace),
            life,
        ))
    }

    /// Revokes the token of a login of its own, once nothing depends on it.
    pub(crate) async fn revoke_own_token(&self) {
        if let Source::Own(token) = &self.0.source {
            self.revoke(token).await;
        }
    }
}
