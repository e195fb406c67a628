//! An authenticated connection as the rest of the program sees it. A store whose credentials are the
//! caller's has no connection while it is checked without one.

use lockstep_provider_api::http::Identity as Certificate;
use lockstep_provider_api::lifecycle::Lifecycle;
use lockstep_provider_api::prelude::*;
use lockstep_provider_api::refusal::Refusal;

use crate::api::Kv;
use crate::auth;
use crate::connection::{Connection, absent_is_invalid};
use crate::path::Mount;
use crate::push::Checked;
use crate::read;
use crate::server::{Address, Consistency, Server};
use crate::spec::{VaultSpec, given};

/// Name of the provider in `externalsecret_provider_api_calls_count`.
const METRIC: &str = "HashiCorp/Vault";

/// A store of Vault.
#[derive(Debug)]
pub struct VaultStore(Opened);

#[derive(Debug)]
enum Opened {
    /// A store that logs in as its caller, while it is checked without one.
    Waiting,
    Connected(Box<Connected>),
}

#[derive(Debug)]
struct Connected {
    kv: Kv,
    checked: Checked,
    /// Whether reading metadata was refused.
    refusal: Refusal,
    is_referent: bool,
}

impl VaultStore {
    pub(crate) async fn connect(spec: VaultSpec, ctx: Ctx) -> Result<Self> {
        let is_referent = spec.is_referent(&ctx);
        if is_referent && ctx.scope().home().is_none() {
            return Ok(Self(Opened::Waiting));
        }
        let address = address(&spec, &ctx).await?;
        let namespace = given(spec.namespace.as_deref()).map(str::to_owned);
        let auth = spec.auth.as_ref();
        let found = auth::identity(auth, namespace.as_deref(), address.clone(), &ctx);
        let identity = Box::pin(found).await?;
        // A credential that the server does not know fails the store and not its readers.
        let token = Box::pin(identity.token()).await;
        token.map_err(absent_is_invalid)?;
        let server = Server::new(address, ctx)?;
        let connection = Connection::new(server, identity, namespace);
        let checked = if spec.needs_check_and_set() {
            Checked::Yes
        } else {
            Checked::No
        };
        Ok(Self(Opened::Connected(Box::new(Connected {
            kv: Kv::new(connection, Mount::new(spec.mount(), spec.version)),
            checked,
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

/// How the manifest says that the server is reached.
pub(crate) async fn address(spec: &VaultSpec, ctx: &Ctx) -> Result<Address> {
    let ca = ctx.trust(spec.ca_bundle.as_ref(), spec.ca_provider.as_ref());
    let ca = ca.await?;
    let tls = spec.tls.as_ref();
    let pair = tls.and_then(|tls| {
        tls.cert_secret_ref
            .as_ref()
            .zip(tls.key_secret_ref.as_ref())
    });
    let certificate = match pair {
        Some((certificate, key)) => {
            let certificate = ctx.secret(&auth::or_key(certificate, "tls.crt")).await?;
            Some(Certificate {
                certificate: certificate.expose().to_vec(),
                key: ctx.secret(&auth::or_key(key, "tls.key")).await?,
            })
        }
        None => None,
    };
    let [replays, forwards] =
        [spec.read_your_writes, spec.forward_inconsistent].map(Option::unwrap_or_default);
    let consistency = match (replays, forwards) {
        (true, true) => Consistency::Forwarded,
        (false, false) => Consistency::Eventual,
        _ => Consistency::Replayed,
    };
    Ok(Address {
        server: spec.server.clone(),
        ca,
        certificate,
        headers: spec.headers.clone().unwrap_or_default(),
        consistency,
        metric: Some(METRIC),
    })
}

impl Store for VaultStore {
    async fn get(&self, reference: &RemoteRef) -> Result<SecretValue> {
        let whole = Box::pin(self.connected()?.kv.whole_of(reference)).await?;
        read::wanted(&whole, reference)
    }

    async fn get_map(&self, reference: &RemoteRef) -> Result<SecretMap> {
        read::members(&self.get(reference).await?)
    }

    /// Properties and members are inside of the value.
    fn containing_read(&self, read: &Read) -> Option<Read> {
        read.value_read()
    }

    fn extract_from(&self, read: &Read, containing: &Result<Payload>) -> Result<Payload> {
        read::extract_from(read, containing)
    }

    async fn version(&self, reference: &RemoteRef, _: bool) -> Result<Option<String>> {
        let connected = self.connected()?;
        Box::pin(connected.kv.current_version(reference, &connected.refusal)).await
    }

    async fn find(&self, find: &Find) -> Result<SecretMap> {
        Box::pin(self.connected()?.kv.search(find)).await
    }

    async fn push(&self, item: &PushItem) -> Result<Pushed> {
        let connected = self.connected()?;
        Box::pin(connected.kv.push(item, connected.checked)).await
    }

    async fn delete(&self, target: &PushTarget) -> Result<()> {
        let connected = self.connected()?;
        Box::pin(connected.kv.remove(target, connected.checked)).await
    }

    async fn exists(&self, target: &PushTarget) -> Result<bool> {
        Box::pin(self.connected()?.kv.is_there(target)).await
    }

    async fn check(&self) -> Check {
        let connected = match &self.0 {
            Opened::Connected(connected) if !connected.is_referent => connected,
            _ => return Check::Healthy(Health::Unknown),
        };
        match Box::pin(connected.kv.connection().identity().check()).await {
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
