//! An authenticated connection as the rest of the program sees it. It reads; pushes and deletions are
//! refused in upstream's words, and commands write through the engine itself.

use lockstep_provider_api::http::Method;
use lockstep_provider_api::lifecycle::Lifecycle;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::refusal::Refusal;
use lockstep_provider_vault::client::{
    Address, Ask, Connection, Kv, Mount, Server, literal, member, members, no_member, text,
};

use crate::spec::OpenBaoSpec;
use crate::{auth, find};

/// A store of OpenBao.
#[derive(Debug)]
pub struct OpenBaoStore(Opened);

#[derive(Debug)]
enum Opened {
    /// A store that logs in as its caller, while it is checked without one.
    Waiting,
    Connected(Box<Connected>),
}

#[derive(Debug)]
struct Connected {
    kv: Kv,
    mount: String,
    server: String,
    refusal: Refusal,
    is_referent: bool,
}

impl OpenBaoStore {
    pub(crate) async fn connect(spec: OpenBaoSpec, ctx: Ctx) -> Result<Self> {
        let is_referent = spec.is_referent(&ctx);
        if is_referent && ctx.scope().home().is_none() {
            return Ok(Self(Opened::Waiting));
        }
        let ca = ctx.trust(spec.ca_bundle.as_ref(), spec.ca_provider.as_ref());
        let address = Address {
            server: spec.server.clone(),
            ca: ca.await?,
            ..Address::default()
        };
        let identity = Box::pin(auth::identity(&spec, address.clone(), &ctx)).await?;
        // A credential that the server does not know fails the store and not its readers.
        Box::pin(identity.token()).await?;
        let namespace = spec.namespace.clone().filter(|name| !name.is_empty());
        let server = Server::new(address, ctx)?;
        let mount = Mount::new(Some(spec.mount()), spec.version);
        let kv = Kv::new(Connection::new(server, identity, namespace), mount);
        Ok(Self(Opened::Connected(Box::new(Connected {
            kv,
            mount: spec.mount().to_owned(),
            server: spec.server,
            refusal: Refusal::default(),
            is_referent,
        }))))
    }

    fn connected(&self) -> Result<&Connected> {
        match &self.0 {
            Opened::Connected(connected) => Ok(connected),
            Opened::Waiting => Err(Error::invalid_spec(
                "the store logs in as its caller and cannot be used without one; \
                 set the namespace of the credential to share it",
            )),
        }
    }
}

impl Connected {
    async fn whole_of(&self, reference: &RemoteRef) -> Result<SecretValue> {
        if let Some(version) = reference.wanted_version() {
            self.check_version(version)?;
        }
        // Metadata is not read; the value is, as upstream has it.
        let reference = RemoteRef {
            metadata: MetadataPolicy::None,
            ..reference.clone()
        };
        self.kv.whole_of(&reference).await
    }

    fn check_version(&self, version: &str) -> Result<()> {
        if self.kv.version() == lockstep_provider_vault::client::Version::V1 {
            return Err(Error::invalid_spec(
                "OpenBao KVv1 secrets do not support versioning (use KVv2)",
            ));
        }
        if version.parse::<i64>().is_err() {
            return Err(Error::invalid_spec(format!(
                "invalid Ref.Version: strconv.Atoi: parsing {version:?}: invalid syntax"
            )));
        }
        Ok(())
    }

    /// Asks for the mount and compares it with what the manifest says.
    async fn check_mount(&self) -> Result<()> {
        let path = format!("sys/mounts/{}", self.mount);
        let asked = self
            .kv
            .connection()
            .ask(Ask::new("ReadMount", Method::GET, &path));
        let answer = asked.await.map_err(|failure| {
            let server = &self.server;
            let text = format!("error while validating {server:?}: {}", failure.error);
            let kind = match failure.error.kind() {
                ErrorKind::NotFound => ErrorKind::InvalidSpec,
                kind => kind.clone(),
            };
            Error::new(kind, text)
        })?;
        let data = member(&answer, "data").cloned().unwrap_or(answer);
        let kind = text(&data, "type");
        if kind != "kv" {
            return Err(Error::invalid_spec(format!(
                "expected mount type \"kv\" found {kind:?}"
            )));
        }
        let options = member(&data, "options").cloned().unwrap_or_default();
        let found = match text(&options, "version").as_str() {
            "" => "1".to_owned(),
            version => version.to_owned(),
        };
        let expected = match self.kv.version() {
            lockstep_provider_vault::client::Version::V1 => "1",
            lockstep_provider_vault::client::Version::V2 => "2",
        };
        if found != expected {
            return Err(Error::invalid_spec(format!(
                "expected kv engine version {expected} found version {found}"
            )));
        }
        Ok(())
    }
}

/// The value that a reference means, out of the whole one: a member of that very name.
fn wanted(value: &SecretValue, reference: &RemoteRef) -> Result<SecretValue> {
    let Some(property) = reference.wanted_property() else {
        return Ok(value.clone());
    };
    literal(value, property)?.ok_or_else(|| no_member(property))
}

impl Store for OpenBaoStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let whole = Box::pin(self.connected()?.whole_of(reference)).await?;
        wanted(&whole, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        members(&self.get(reference).await?)
    }

    /// Properties and members are inside of the value.
    fn containing_read(&self, read: &Read) -> Option<Read> {
        read.value_read()
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        read.extract_from_value(containing, wanted, |value, _| members(value))
    }

    async fn version(&self, reference: &RemoteRef, _: bool) -> Result<Option<String>> {
        let connected = self.connected()?;
        Box::pin(connected.kv.current_version(reference, &connected.refusal)).await
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        let connected = self.connected()?;
        let mut found = SecretMap::new();
        for name in Box::pin(find::names(&connected.kv, find)).await? {
            match Box::pin(connected.kv.whole_of(&RemoteRef::key(&*name))).await {
                Ok(value) => {
                    found.insert(name, value);
                }
                // Deleted, or gone since it was listed.
                Err(error) if error.consequence().absent => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    async fn push(&self, _: &PushItem) -> Result<Pushed> {
        Err(Error::unsupported(
            "push secret is not supported (the OpenBao provider is currently read only)",
        ))
    }

    async fn delete(&self, _: &PushTarget) -> Result<()> {
        Err(Error::unsupported(
            "delete secret is not supported (the OpenBao provider is currently read only)",
        ))
    }

    async fn check(&self) -> Check {
        let connected = match &self.0 {
            Opened::Connected(connected) if !connected.is_referent => connected,
            _ => return Check::Healthy(Health::Unknown),
        };
        match Box::pin(connected.check_mount()).await {
            Ok(()) => Check::Healthy(Health::Ready),
            Err(error) => Check::Failed(error),
        }
    }

    fn lifecycle(&self) -> Option<&dyn Lifecycle> {
        match &self.0 {
            Opened::Connected(connected) => Some(&connected.kv),
            Opened::Waiting => None,
        }
    }
}
