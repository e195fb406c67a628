//! An authenticated connection as the rest of the program sees it. A store whose credentials are
//! the caller's has no connection while it is checked without one.

use lockstep_provider_api::lifecycle::{Lifecycle, OtherTags};
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::refusal::Refusal;

use crate::api::Api;
use crate::spec::{GcpsmSpec, SelectionPolicy};
use crate::{auth, endpoint, read};

/// A store of Google Secret Manager.
#[derive(Debug)]
pub struct GcpsmStore(State);

#[derive(Debug)]
enum State {
    /// A store that logs in as its caller, while it is checked without one.
    Waiting,
    Connected(Box<Connection>),
}

/// A connection of one identity.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) api: Api,
    pub(crate) policy: SelectionPolicy,
    /// Whether looking at secrets and versions was refused.
    pub(crate) refusal: Refusal,
    is_referent: bool,
}

impl GcpsmStore {
    pub(crate) async fn connect(spec: GcpsmSpec, ctx: Ctx) -> Result<Self> {
        let project = auth::project(&spec, &ctx).await?;
        let is_referent = spec.is_referent(&ctx);
        if is_referent && ctx.scope().home().is_none() {
            return Ok(Self(State::Waiting));
        }
        let base = endpoint::secret_manager(spec.location(), &ctx)?;
        let identity = Box::pin(auth::log_in(&spec, &ctx)).await?;
        let location = spec.location().map(str::to_owned);
        Ok(Self(State::Connected(Box::new(Connection {
            api: Api::new(base, project, location, identity, ctx)?,
            policy: spec.policy(),
            refusal: Refusal::default(),
            is_referent,
        }))))
    }

    pub(crate) fn connected(&self) -> Result<&Connection> {
        match &self.0 {
            State::Connected(connection) => Ok(connection),
            State::Waiting => Err(Error::invalid_spec(
                "the store logs in as its caller and cannot be used without one; \
                 set the namespace of the credential to share it",
            )),
        }
    }
}

impl Store for GcpsmStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let whole = Box::pin(self.connected()?.whole_of(reference)).await?;
        read::wanted(&whole, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        let value = self.get(reference).await?;
        read::members(&value)
    }

    /// Properties and members are inside of the value, labels and annotations of all metadata.
    fn containing_read(&self, read: &Read) -> Option<Read> {
        read.value_read()
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        read::extract_from(read, containing)
    }

    async fn version(&self, reference: &RemoteRef, _: bool) -> Result<Option<String>> {
        Box::pin(self.connected()?.current_version(reference)).await
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        Box::pin(self.connected()?.search(find)).await
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        Box::pin(self.connected()?.write(item, OtherTags::Remove)).await
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        Box::pin(self.connected()?.remove(target)).await
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        Box::pin(self.connected()?.is_there(target)).await
    }

    /// A token was had when the store was opened; as upstream, nothing more is asked.
    async fn check(&self) -> Check {
        match &self.0 {
            State::Connected(connection) if !connection.is_referent => {
                Check::Healthy(Health::Ready)
            }
            _ => Check::Healthy(Health::Unknown),
        }
    }

    fn lifecycle(&self) -> Option<&dyn Lifecycle> {
        Some(self)
    }
}
