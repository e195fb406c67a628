//! A Chef server in a test: goiardi, in memory, checking signatures. Debian's package is unpacked into the
//! cache; nothing is installed into the machine. The test bench signs with `openssl`, so that what the
//! provider signs with is not tested against itself.

use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use serde_json::{Value, json};
use ureq::Agent;

use crate::PATIENCE;
use crate::controlplane::guard::Guard;
use crate::{debian, place, port};

/// The user that may do everything.
pub const ADMIN: &str = "admin";

/// A running server.
pub struct Goiardi {
    url: String,
    agent: Agent,
    folder: tempfile::TempDir,
    _guard: Guard,
}

fn program() -> Result<Option<PathBuf>> {
    if let Some(path) = place::set("GOIARDI") {
        return Ok(Some(path));
    }
    let installed = PathBuf::from("/usr/bin/goiardi");
    if installed.is_file() {
        return Ok(Some(installed));
    }
    let root = debian::unpacked("goiardi", "GOIARDI")?;
    Ok(root.map(|root| root.join("usr/bin/goiardi")))
}

/// Makes sure that the program is there. `false` on a machine that has neither the program nor
/// Debian's package tools.
pub fn ready() -> Result<bool> {
    Ok(program()?.is_some())
}

impl Goiardi {
    /// Starts a server; `None` where there is no program to be had.
    pub fn start() -> Result<Option<Self>> {
        let Some(program) = program()? else {
            return Ok(None);
        };
        let folder = tempfile::tempdir()?;
        let address = port::free()?;
        let mut command = Command::new(program);
        command.args([
            "--use-auth",
            "--ipaddress=127.0.0.1",
            "--hostname=127.0.0.1",
        ]);
        command.arg(format!("--port={}", address.port()));
        command.arg(format!("--conf-root={}", folder.path().display()));
        let mut guard = Guard::new(None)?;
        guard.spawn("goiardi", command, &folder.path().join("log"))?;
        let url = format!("http://{address}");
        let config = Agent::config_builder().proxy(None);
        let config = config.http_status_as_error(false);
        let agent: Agent = config.timeout_global(Some(PATIENCE)).build().into();
        guard.until_answers(|| TcpStream::connect(address).is_ok())?;
        Ok(Some(Self {
            url,
            agent,
            folder,
            _guard: guard,
        }))
    }

    /// Address for clients, with a slash at its end.
    pub fn url(&self) -> String {
        format!("{}/", self.url)
    }

    /// The key of [`ADMIN`], PEM.
    pub fn key(&self) -> Result<String> {
        fs::read_to_string(self.key_file()).context("goiardi wrote no key")
    }

    /// Makes a data bag.
    pub fn bag(&self, name: &str) -> Result<()> {
        self.post("/data", &json!({ "name": name }))
    }

    /// Makes an item of a data bag.
    pub fn item(&self, bag: &str, item: &Value) -> Result<()> {
        self.post(&format!("/data/{bag}"), item)
    }

    fn key_file(&self) -> PathBuf {
        self.folder.path().join("admin.pem")
    }

    fn post(&self, path: &str, body: &Value) -> Result<()> {
        let body = body.to_string();
        let time = Command::new("date")
            .args(["-u", "+%Y-%m-%dT%H:%M:%SZ"])
            .output()?;
        let time = String::from_utf8_lossy(&time.stdout).trim().to_owned();
        let content = hash(&body);
        let text = format!(
            "Method:POST\nHashed Path:{}\nX-Ops-Content-Hash:{content}\nX-Ops-Timestamp:{time}\nX-Ops-UserId:{ADMIN}",
            hash(path)
        );
        let signature = STANDARD.encode(signed(&text, &self.key_file())?);
        let mut request = self
            .agent
            .post(format!("{}{path}", self.url))
            .header("Accept", "application/json")
            .header("Content-Type", "application/json")
            .header("X-Chef-Version", "14.0.0")
            .header("X-Ops-Sign", "algorithm=sha1;version=1.0")
            .header("X-Ops-UserId", ADMIN)
            .header("X-Ops-Timestamp", &time)
            .header("X-Ops-Content-Hash", &content);
        for (at, line) in signature.as_bytes().chunks(60).enumerate() {
            let name = format!("X-Ops-Authorization-{}", at + 1);
            request = request.header(name, line);
        }
        let mut answer = request.send(body)?;
        if !answer.status().is_success() {
            let said = answer.body_mut().read_to_string()?;
            bail!("goiardi refuses {path}: {} {said}", answer.status());
        }
        Ok(())
    }
}

fn hash(text: &str) -> String {
    STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, text.as_bytes()))
}

fn signed(text: &str, key: &Path) -> Result<Vec<u8>> {
    let mut child = Command::new("openssl")
        .args(["rsautl", "-sign", "-inkey"])
        .arg(key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("openssl is needed to sign requests to goiardi")?;
    let mut input = child.stdin.take().context("openssl takes no input")?;
    input.write_all(text.as_bytes())?;
    drop(input);
    let output = child.wait_with_output()?;
    anyhow::ensure!(output.status.success(), "openssl does not sign");
    Ok(output.stdout)
}
