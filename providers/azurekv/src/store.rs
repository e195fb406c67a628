//! A connection to one vault. A store whose credentials are the caller's has no connection while it
//! is checked without one.

use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt as _};
use lockstep_provider_api::lifecycle::Lifecycle;
use lockstep_provider_api::prelude::*;

use crate::api::Vault;
use crate::auth::Identity;
use crate::cloud::{Audience, Cloud};
use crate::spec::{AuthType, AzureSpec, vault_address};
use crate::{find, push, read};
use read::Path;

/// Reads of one batch that run at one time.
const AT_ONCE: usize = 16;

/// A store of Azure Key Vault.
#[derive(Debug)]
pub struct AzureStore {
    /// `None` while a store that signs in as its caller is checked without one.
    vault: Option<Vault>,
    path: Path,
    is_referent: bool,
}

impl AzureStore {
    pub(crate) async fn connect(spec: AzureSpec, ctx: Ctx) -> Result<Self> {
        let path = Path::of(&spec);
        let is_referent = spec.is_referent(&ctx);
        if is_referent && ctx.scope().home().is_none() {
            return Ok(Self {
                vault: None,
                path,
                is_referent,
            });
        }
        let address = vault_address(&spec.vault_url)?;
        let cloud = Cloud::with_settings(&spec, &ctx)?;
        let identity = Identity::of(&spec, &cloud, &ctx).await?;
        // The older client signs a workload in when it is made, so that the store itself tells
        // when Entra does not trust it.
        if path == Path::Legacy
            && spec.auth_type == AuthType::WorkloadIdentity
            && let Audience::Fixed(audience) = cloud.audience
        {
            identity.token(audience).await?;
        }
        Ok(Self {
            vault: Some(Vault::new(&address, &cloud, identity, ctx)?),
            path,
            is_referent,
        })
    }

    pub(crate) fn path(&self) -> Path {
        self.path
    }

    pub(crate) fn vault(&self) -> Result<&Vault> {
        self.vault.as_ref().ok_or_else(|| {
            Error::invalid_spec(
                "the store signs in as its caller and cannot be used without one; \
                 set the namespace of the credential to share it",
            )
        })
    }

    async fn read(&self, read: Read) -> Result<Payload> {
        let reference = read.reference().cloned().unwrap_or_default();
        let raw = read::raw(self.vault()?, &reference).await?;
        read::extract_from(&read, &Ok(Payload::Value(raw)), self.path)
    }
}

impl Store for AzureStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        match self.read(Read::Value(reference.clone())).await? {
            Payload::Value(value) => Ok(value),
            Payload::Map(_) => Err(lockstep_provider_api::read::mismatch()),
        }
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        read::refuse_map(&reference.key)?;
        match self.read(Read::Map(reference.clone())).await? {
            Payload::Map(map) => Ok(map),
            Payload::Value(_) => Err(lockstep_provider_api::read::mismatch()),
        }
    }

    async fn get_many(&self, references: &[RemoteRef]) -> Vec<Result<SecretValue>> {
        let mut reads: Vec<BoxFuture<'_, _>> = Vec::with_capacity(references.len());
        for reference in references {
            reads.push(Box::pin(self.get(reference)));
        }
        stream::iter(reads).buffered(AT_ONCE).collect().await
    }

    async fn get_raw(&self, reference: &RemoteRef) -> Result<SecretValue> {
        read::raw(self.vault()?, reference).await
    }

    fn containing_read(&self, read: &Read) -> Option<Read> {
        read::containing_read(read)
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        read::extract_from(read, containing, self.path)
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        find::find(self.vault()?, find, self.path).await
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        push::push(self.vault()?, item, self.path, &push::Tags::new()).await
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        push::delete(self.vault()?, target, self.path).await
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        push::exists(self.vault()?, target).await
    }

    /// As upstream, nothing is asked of Azure.
    async fn check(&self) -> Check {
        Check::Healthy(if self.is_referent {
            Health::Unknown
        } else {
            Health::Ready
        })
    }

    fn lifecycle(&self) -> Option<&dyn Lifecycle> {
        Some(self)
    }
}
