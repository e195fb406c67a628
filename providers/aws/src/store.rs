//! A connection to one of the services, and which of them answers a call. A store whose credentials
//! are the caller's has no connection while it is checked without one.

use lockstep_provider_api::lifecycle::Lifecycle;
use lockstep_provider_api::prelude::*;

use crate::auth;
use crate::call::Caller;
use crate::certificatemanager::{self, CertificateManager, unsupported};
use crate::parameterstore::{self, ParameterStore};
use crate::read::extract_from;
use crate::secretsmanager::{self, SecretsManager};
use crate::spec::{AwsSpec, Service};

/// A store of AWS.
#[derive(Debug)]
pub struct AwsStore {
    /// `None` while a store that signs in as its caller is checked without one.
    connection: Option<Connection>,
    is_referent: bool,
}

#[derive(Debug)]
struct Connection {
    caller: Caller,
    client: Client,
}

#[derive(Debug)]
pub(crate) enum Client {
    Secrets(SecretsManager),
    Parameters(ParameterStore),
    Certificates(Box<CertificateManager>),
}

impl AwsStore {
    pub(crate) async fn connect(spec: AwsSpec, ctx: Ctx) -> Result<Self> {
        let is_referent = spec.is_referent(&ctx);
        if is_referent && ctx.scope().home().is_none() {
            return Ok(Self {
                connection: None,
                is_referent,
            });
        }
        let service = spec.service()?;
        let (config, sign_in) = Box::pin(auth::prepare(&spec, &ctx))
            .await
            .map_err(|error| error.context("unable to create session"))?;
        let caller = Caller {
            names: match service {
                Service::SecretsManager => &secretsmanager::NAMES,
                Service::ParameterStore => &parameterstore::NAMES,
                Service::CertificateManager => &certificatemanager::NAMES,
            },
            region: spec.region.as_str().into(),
            sign_in,
            ctx,
        };
        let own = caller.clone();
        let client = match service {
            Service::SecretsManager => Client::Secrets(SecretsManager::new(&spec, &config, own)?),
            Service::ParameterStore => {
                Client::Parameters(ParameterStore::new(&spec, &config, own)?)
            }
            Service::CertificateManager => {
                Client::Certificates(Box::new(CertificateManager::new(&spec, &config, own)?))
            }
        };
        Ok(Self {
            connection: Some(Connection { caller, client }),
            is_referent,
        })
    }

    pub(crate) fn client(&self) -> Result<&Client> {
        let connection = self.connection.as_ref().ok_or_else(|| {
            Error::invalid_spec(
                "the store signs in as its caller and cannot be used without one; \
                 set the namespace of the credential to share it",
            )
        })?;
        Ok(&connection.client)
    }
}

impl Store for AwsStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        match self.client()? {
            Client::Secrets(client) => Box::pin(client.get(reference)).await,
            Client::Parameters(client) => Box::pin(client.get(reference)).await,
            Client::Certificates(client) => Box::pin(client.get(reference)).await,
        }
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        match self.client()? {
            Client::Secrets(client) => Box::pin(client.get_map(reference)).await,
            Client::Parameters(client) => Box::pin(client.get_map(reference)).await,
            Client::Certificates(_) => Err(unsupported()),
        }
    }

    async fn get_many(&self, references: &[RemoteRef]) -> Vec<Result<SecretValue>> {
        match self.client() {
            Ok(Client::Secrets(client)) => Box::pin(client.get_many(references)).await,
            Ok(Client::Parameters(client)) => Box::pin(client.get_many(references)).await,
            Ok(Client::Certificates(client)) => {
                let mut values = Vec::with_capacity(references.len());
                for reference in references {
                    values.push(Box::pin(client.get(reference)).await);
                }
                values
            }
            Err(error) => {
                let failed = references.iter().map(|_| Err(error.duplicate()));
                failed.collect()
            }
        }
    }

    /// Properties and members are inside of the value; certificates have neither.
    fn containing_read(&self, read: &Read) -> Option<Read> {
        match self.connection.as_ref()?.client {
            Client::Secrets(_) | Client::Parameters(_) => read.value_read(),
            Client::Certificates(_) => None,
        }
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        extract_from(read, containing)
    }

    async fn version(&self, reference: &RemoteRef, alone: bool) -> Result<Option<String>> {
        match self.client()? {
            Client::Secrets(client) => Box::pin(client.version(reference, alone)).await,
            Client::Parameters(_) | Client::Certificates(_) => Ok(None),
        }
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        match self.client()? {
            Client::Secrets(client) => Box::pin(client.find(find)).await,
            Client::Parameters(client) => Box::pin(client.find(find)).await,
            Client::Certificates(_) => Err(unsupported()),
        }
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        match self.client()? {
            Client::Secrets(client) => Box::pin(client.push(item)).await,
            Client::Parameters(client) => Box::pin(client.push(item)).await,
            Client::Certificates(client) => Box::pin(client.push(item)).await,
        }
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        match self.client()? {
            Client::Secrets(client) => Box::pin(client.delete(target)).await,
            Client::Parameters(client) => Box::pin(client.delete(target)).await,
            Client::Certificates(client) => Box::pin(client.delete(target)).await,
        }
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        match self.client()? {
            Client::Secrets(client) => Box::pin(client.exists(target)).await,
            Client::Parameters(client) => Box::pin(client.exists(target)).await,
            Client::Certificates(client) => Box::pin(client.exists(target)).await,
        }
    }

    /// Signs in, as upstream does; no request to the service itself is made.
    async fn check(&self) -> Check {
        let connection = match &self.connection {
            Some(connection) if !self.is_referent => connection,
            _ => return Check::Healthy(Health::Unknown),
        };
        match Box::pin(connection.caller.sign_in.check()).await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error),
        }
    }

    /// Certificates have no tombstones that a command could look after.
    fn lifecycle(&self) -> Option<&dyn Lifecycle> {
        match &self.connection {
            Some(connection) if matches!(connection.client, Client::Certificates(_)) => None,
            _ => Some(self),
        }
    }
}
