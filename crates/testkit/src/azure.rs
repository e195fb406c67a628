//! Azure in a test: Entra ID, the metadata services of machines and Key Vault in one small server,
//! separated by host and path, plain and over TLS with a CA of its own. Everything it is asked is
//! kept, and it can be told to refuse.

mod entra;
mod issuer;
mod machine;
mod state;
mod token;
pub(crate) mod trust;
mod vault;
pub(crate) mod wire;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use parking_lot::Mutex;
use serde_json::Value;

pub use entra::{Directory, Trust};
pub use machine::SYSTEM;

use state::State;
use vault::{Asked, Vaults};
use wire::Listener;

/// The tenant of the test directory.
pub const TENANT: &str = "11111111-1111-1111-1111-111111111111";
/// The application that may do everything.
pub const CLIENT: &str = "22222222-2222-2222-2222-222222222222";
/// Its secret.
pub const SECRET: &str = "test-client-secret";
/// Certificate and key of the application.
pub const CERTIFICATE: &str = include_str!("azure/app.pem");
/// The same as PKCS#12 without a password.
pub const PFX: &[u8] = include_bytes!("azure/app.p12");
/// Certificate and key of a stranger.
pub const STRANGER: &str = include_str!("azure/other.pem");
/// What App Service's form of managed identity must be asked with.
pub const HEADER: &str = "instance-metadata";

/// A running server; it stops when it is dropped.
pub struct Azure {
    plain: Listener,
    secure: Listener,
    ca: PathBuf,
    state: Arc<Mutex<State>>,
    _folder: tempfile::TempDir,
}

/// A request that came.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Method, host and path: `GET v.vault.azure.net/secrets/a/`.
    pub text: String,
    /// Fields of the form or of the query.
    pub fields: BTreeMap<String, String>,
}

/// An answer in place of the real one.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Part of method, host and path of the requests it is for.
    pub text: String,
    /// The status of the answer.
    pub status: u16,
    /// Its body.
    pub body: Value,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
    /// How often it is given.
    pub times: usize,
}

impl Azure {
    /// Starts a server on free ports.
    pub fn start() -> Result<Self> {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self::start_at(any, Directory::of_tests())
    }

    /// Starts a server at the addresses of the real cloud: the metadata service of a machine on
    /// 169.254.169.254, everything else on port 443 of loopback. Only for a network of its own in
    /// which the names of the cloud lead there.
    pub fn start_as_cloud() -> Result<Self> {
        let metadata = SocketAddr::from((Ipv4Addr::new(169, 254, 169, 254), 80));
        let secure = SocketAddr::from((Ipv4Addr::LOCALHOST, 443));
        let server = Self::listen(metadata, secure, Directory::of_tests())?;
        "https://login.microsoftonline.com".clone_into(&mut server.state.lock().login);
        Ok(server)
    }

    /// Starts a server whose plain side listens on an address.
    pub fn start_at(at: SocketAddr, directory: Directory) -> Result<Self> {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = Self::listen(at, any, directory)?;
        server.state.lock().login = server.url();
        Ok(server)
    }

    fn listen(at: SocketAddr, secure: SocketAddr, directory: Directory) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let (tls, ca) = trust::server(folder.path())?;
        let state = Arc::new(Mutex::new(State {
            directory,
            vaults: Vaults::default(),
            seen: Vec::new(),
            faults: Vec::new(),
            denied: None,
            login: String::new(),
        }));
        let handler = |state: &Arc<Mutex<State>>| -> wire::Handler {
            let state = Arc::clone(state);
            Arc::new(move |request| state.lock().answer(&request))
        };
        let plain = Listener::start(at, None, handler(&state))?;
        let secure = Listener::start(secure, Some(tls), handler(&state))?;
        Ok(Self {
            plain,
            secure,
            ca,
            state,
            _folder: folder,
        })
    }

    /// `https://localhost:PORT`; a vault and the host to sign in at.
    pub fn url(&self) -> String {
        format!("https://localhost:{}", self.secure.address().port())
    }

    /// `http://127.0.0.1:PORT`; the metadata service, and everything else for who sets `Host`.
    pub fn plain_url(&self) -> String {
        format!("http://{}", self.plain.address())
    }

    /// The CA file of the secure side.
    pub fn ca(&self) -> &std::path::Path {
        &self.ca
    }

    /// Variables that lead an operator here.
    pub fn environment(&self) -> Vec<(String, String)> {
        let pair = |name: &str, value: String| (name.to_owned(), value);
        vec![
            pair("AZURE_AUTHORITY_HOST", self.url()),
            pair("AZURE_POD_IDENTITY_AUTHORITY_HOST", self.plain_url()),
            pair("SSL_CERT_FILE", self.ca.display().to_string()),
        ]
    }

    /// One request to a vault, past the token check and the log; a refusal is an error.
    pub fn vault(&self, method: &str, host: &str, path: &str, body: &Value) -> Result<Value> {
        let body = if body.is_null() {
            Vec::new()
        } else {
            body.to_string().into_bytes()
        };
        let asked = Asked {
            host,
            method,
            path,
            query: BTreeMap::from([("api-version".to_owned(), "7.4".to_owned())]),
            body: &body,
        };
        let answer = self.state.lock().vaults.answer(&asked);
        if answer.status >= 300 {
            bail!(
                "{method} {path}: {} {}",
                answer.status,
                String::from_utf8_lossy(&answer.body)
            );
        }
        Ok(serde_json::from_slice(&answer.body).unwrap_or(Value::Null))
    }

    /// Host of the vault at [`Self::url`].
    pub fn host(&self) -> String {
        format!("localhost:{}", self.secure.address().port())
    }

    /// Changes the directory.
    pub fn directory(&self, change: impl FnOnce(&mut Directory)) {
        change(&mut self.state.lock().directory);
    }

    /// Refuses every request to a vault with a code, or none any more.
    pub fn deny(&self, code: Option<&str>) {
        self.state.lock().denied = code.map(str::to_owned);
    }

    /// Switches purge protection of all vaults.
    pub fn protect(&self, on: bool) {
        self.state.lock().vaults.protected = on;
    }

    /// Answers some requests with a fault.
    pub fn inject(&self, fault: Fault) {
        self.state.lock().faults.push(fault);
    }

    /// Requests that came so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.state.lock().seen.clone()
    }

    /// Requests since the last time this was asked.
    pub fn take_seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.state.lock().seen)
    }
}

impl Directory {
    /// The directory of the tests: one application, nobody trusted yet.
    pub fn of_tests() -> Self {
        Self {
            tenant: TENANT.to_owned(),
            client: CLIENT.to_owned(),
            secret: SECRET.to_owned(),
            certificate: CERTIFICATE.to_owned(),
            other: "33333333-3333-3333-3333-333333333333".to_owned(),
            expired: false,
            trusts: Vec::new(),
            keys: BTreeMap::new(),
        }
    }
}

/// The fields of a form or of a query.
fn form(text: &str) -> BTreeMap<String, String> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let digits = after
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        match (
            first,
            digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()),
        ) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            (b'+', _) => bytes.push(b' '),
            (other, _) => bytes.push(*other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
