//! OpenStack in a test: Keystone and Barbican, installed from the Python package index into the cache, with
//! databases in files and Barbican's own encryption. A user signs in with a password and finds the key
//! manager in the catalog, as in a real cloud.

use std::fs;
use std::net::TcpStream;
use std::process::Command;

use anyhow::{Context, Result, bail};
use parking_lot::Mutex;
use serde_json::{Value, json};
use ureq::Agent;

use crate::PATIENCE;
use crate::controlplane::guard::Guard;
use crate::port;

mod install;

/// Name of the user, of its project and of the administrator's role.
pub const ADMIN: &str = "admin";
/// Password of the user.
pub const PASSWORD: &str = "a pass word";
/// Domain of user and project.
pub const DOMAIN: &str = "Default";
/// Region of the key manager.
pub const REGION: &str = "RegionOne";

/// Held during a write.
static WRITE: Mutex<()> = Mutex::new(());

/// Serves an application with Python's own server: `serve.py WHAT PORT PASTE_FILE`.
const SERVE: &str = r#"
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server
what, port, paste = sys.argv[1:]
sys.argv = [what]
if what == "keystone":
    from keystone.wsgi.api import application
else:
    from paste.deploy import loadapp
    application = loadapp("config:" + paste)
class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
make_server("127.0.0.1", int(port), application, Server).serve_forever()
"#;

/// Makes sure that both are installed; what is wrong where they cannot be.
pub fn ready() -> Result<()> {
    install::prepared().map(drop)
}

/// Running servers.
pub struct Openstack {
    identity: String,
    key_manager: String,
    agent: Agent,
    token: String,
    _guard: Guard,
}

impl Openstack {
    /// Starts both servers.
    pub fn start() -> Result<Self> {
        let prepared = install::prepared()?;
        let folder = tempfile::tempdir()?.keep();
        let mut guard = Guard::new(Some(&folder))?;
        install::copy(&prepared.databases, &folder)?;
        let (keystone, barbican) = (port::free()?, port::free()?);
        install::configure(&folder, keystone.port(), barbican.port())?;
        fs::write(folder.join("serve.py"), SERVE)?;
        for (name, address) in [("keystone", keystone), ("barbican", barbican)] {
            let mut command = Command::new(&prepared.python);
            command.arg(folder.join("serve.py"));
            command.args([name, &address.port().to_string()]);
            command.arg(&prepared.paste);
            install::lead(&mut command, &folder);
            guard.spawn(name, command, &folder.join(format!("{name}.out")))?;
        }
        let config = Agent::config_builder().proxy(None);
        let config = config.http_status_as_error(false);
        let agent: Agent = config.timeout_global(Some(PATIENCE)).build().into();
        let identity = format!("http://{keystone}");
        let key_manager = format!("http://{barbican}");
        // Both listen when they have loaded.
        for address in [keystone, barbican] {
            guard.until_answers(|| TcpStream::connect(address).is_ok())?;
        }
        let token = sign_in(&agent, &identity)?;
        let servers = Self {
            identity,
            key_manager,
            agent,
            token,
            _guard: guard,
        };
        servers.list_in_catalog()?;
        Ok(servers)
    }

    /// Address of Keystone, without its version.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Stores a text and gives the id of the secret.
    pub fn secret(&self, name: &str, payload: &str) -> Result<String> {
        let body = json!({
            "name": name, "payload": payload, "payload_content_type": "text/plain",
        });
        self.store(&body)
    }

    /// Stores bytes, given in base64, and gives the id of the secret.
    pub fn binary(&self, name: &str, payload: &str) -> Result<String> {
        let body = json!({
            "name": name, "payload": payload, "payload_content_encoding": "base64",
            "payload_content_type": "application/octet-stream",
        });
        self.store(&body)
    }

    fn store(&self, body: &Value) -> Result<String> {
        let made = self.post(&format!("{}/v1/secrets", self.key_manager), body)?;
        let address = made["secret_ref"].as_str().context("no address")?;
        let id = address.rsplit('/').next().context("no id")?;
        Ok(id.to_owned())
    }

    /// Barbican itself finds Keystone in the catalog, too.
    fn list_in_catalog(&self) -> Result<()> {
        let identity = format!("{}/v3", self.identity);
        for (kind, url) in [("identity", &identity), ("key-manager", &self.key_manager)] {
            let service = json!({"service": {"type": kind, "name": kind}});
            let made = self.post(&format!("{identity}/services"), &service)?;
            let endpoint = json!({"endpoint": {
                "service_id": made["service"]["id"], "interface": "public", "region": REGION,
                "url": url,
            }});
            self.post(&format!("{identity}/endpoints"), &endpoint)?;
        }
        Ok(())
    }

    fn post(&self, url: &str, body: &Value) -> Result<Value> {
        let request = self.agent.post(url).header("X-Auth-Token", &self.token);
        let request = request.header("Content-Type", "application/json");
        // Behind the servers is SQLite, which refuses a write during another one.
        let _alone = WRITE.lock();
        let mut answer = request.send(body.to_string())?;
        let said = answer.body_mut().read_to_string()?;
        if !answer.status().is_success() {
            bail!("{url}: {} {said}", answer.status());
        }
        Ok(serde_json::from_str(&said).unwrap_or(Value::Null))
    }
}

fn sign_in(agent: &Agent, identity: &str) -> Result<String> {
    let domain = json!({ "name": DOMAIN });
    let user = json!({"name": ADMIN, "password": PASSWORD, "domain": domain});
    let body = json!({"auth": {
        "identity": {"methods": ["password"], "password": {"user": user}},
        "scope": {"project": {"name": ADMIN, "domain": domain}},
    }});
    let mut answer = agent
        .post(format!("{identity}/v3/auth/tokens"))
        .header("Content-Type", "application/json")
        .send(body.to_string())?;
    if !answer.status().is_success() {
        let said = answer.body_mut().read_to_string()?;
        bail!("Keystone refuses the user: {} {said}", answer.status());
    }
    let token = answer.headers().get("x-subject-token");
    let token = token.and_then(|token| token.to_str().ok());
    Ok(token.context("no token")?.to_owned())
}
