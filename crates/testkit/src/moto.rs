//! AWS in a test: moto's server, with Secrets Manager, Parameter Store, ACM, STS and IAM in memory.
//! Every request goes through a relay that counts and can refuse. Signatures and policies are
//! checked only by a server that was told to.

mod install;
mod relay;

use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use parking_lot::Mutex;
use serde_json::Value;
use ureq::Agent;

pub use install::ready;
pub use relay::{Fault, Seen};

use crate::PATIENCE;
use crate::controlplane::guard::Guard;
use crate::port;
use crate::stub::Stub;

/// The version the tests were written for.
pub const VERSION: &str = "5.2.5";
/// Region of everything the tests make.
pub const REGION: &str = "us-east-1";

/// A running server behind its relay.
pub struct Moto {
    // The relay goes first, then the server it leads to.
    relay: Stub,
    state: Arc<Mutex<relay::State>>,
    agent: Agent,
    direct: String,
    _guard: Guard,
    _folder: tempfile::TempDir,
}

/// Keys of a user of a checking server.
#[derive(Clone, Debug)]
pub struct Keys {
    /// The access key id.
    pub id: String,
    /// The secret access key.
    pub secret: String,
}

impl Moto {
    /// Starts a server that takes any credentials.
    pub fn start() -> Result<Self> {
        let program = ready()?;
        let folder = tempfile::tempdir()?;
        let port = port::free()?.port();
        let mut guard = Guard::new(None)?;
        let mut command = Command::new(program);
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
        guard.spawn("moto", command, &folder.path().join("log"))?;
        let direct = format!("http://127.0.0.1:{port}");
        let config = Agent::config_builder().proxy(None);
        let config = config.http_status_as_error(false);
        let agent: Agent = config.timeout_global(Some(PATIENCE)).build().into();
        guard.until_answers(|| {
            let asked = agent.get(format!("{direct}/moto-api/data.json")).call();
            asked.is_ok_and(|answer| answer.status().is_success())
        })?;
        let state = Arc::new(Mutex::new(relay::State::default()));
        let relay = relay::start(direct.clone(), Arc::clone(&state))?;
        Ok(Self {
            relay,
            state,
            agent,
            direct,
            _guard: guard,
            _folder: folder,
        })
    }

    /// Address for clients.
    pub fn url(&self) -> String {
        self.relay.url()
    }

    /// Variables that lead an operator here and nowhere else.
    pub fn environment(&self) -> Vec<(String, String)> {
        let services = [
            "AWS_SECRETSMANAGER_ENDPOINT",
            "AWS_SSM_ENDPOINT",
            "AWS_STS_ENDPOINT",
            "AWS_ACM_ENDPOINT",
            "AWS_RESOURCE_GROUPS_TAGGING_API_ENDPOINT",
        ];
        let addresses = services.map(|name| (name.to_owned(), self.url()));
        let quiet = ("AWS_EC2_METADATA_DISABLED".to_owned(), "true".to_owned());
        addresses.into_iter().chain([quiet]).collect()
    }

    /// One call of a JSON service, past the relay; an answer that is no success is an error.
    pub fn call(&self, target: &str, parameters: &Value) -> Result<Value> {
        let (service, prefix) = match target.split('.').next() {
            Some("secretsmanager") => ("secretsmanager", "secretsmanager"),
            Some("ssm") => ("ssm", "AmazonSSM"),
            Some("acm") => ("acm", "CertificateManager"),
            Some("tagging") => ("tagging", "ResourceGroupsTaggingAPI_20170126"),
            _ => bail!("{target}: no such service"),
        };
        let action = target.split('.').nth(1).context("no action")?;
        let mut answer = self
            .agent
            .post(format!("{}/", self.direct))
            .header("Content-Type", "application/x-amz-json-1.1")
            .header("X-Amz-Target", format!("{prefix}.{action}"))
            .header("Authorization", unsigned(service))
            .send(parameters.to_string())?;
        let body = answer.body_mut().read_to_string()?;
        if !answer.status().is_success() {
            bail!("{target}: {} {body}", answer.status());
        }
        Ok(serde_json::from_str(&body).unwrap_or(Value::Null))
    }

    /// Makes a user with one policy, given as JSON, and keys for it.
    pub fn user(&self, name: &str, policy: &Value) -> Result<Keys> {
        self.iam(&[("Action", "CreateUser"), ("UserName", name)])?;
        let document = policy.to_string();
        self.iam(&[
            ("Action", "PutUserPolicy"),
            ("UserName", name),
            ("PolicyName", "test"),
            ("PolicyDocument", &document),
        ])?;
        let xml = self.iam(&[("Action", "CreateAccessKey"), ("UserName", name)])?;
        let part = |tag: &str| {
            let (_, rest) = xml.split_once(&format!("<{tag}>"))?;
            rest.split_once('<').map(|(part, _)| part.to_owned())
        };
        Ok(Keys {
            id: part("AccessKeyId").context("no access key")?,
            secret: part("SecretAccessKey").context("no secret key")?,
        })
    }

    /// From now on signatures and policies are checked; [`Self::call`] no longer works.
    pub fn check_access(&self) -> Result<()> {
        let url = format!("{}/moto-api/reset-auth", self.direct);
        let answer = self.agent.post(url).content_type("text/plain").send("0")?;
        if !answer.status().is_success() {
            bail!("moto does not check access: {}", answer.status());
        }
        Ok(())
    }

    /// Requests that came through the relay so far.
    pub fn seen(&self) -> Vec<Seen> {
        let state = self.state.lock();
        state.seen.clone()
    }

    /// Requests that came through the relay since the last time this was asked.
    pub fn take_seen(&self) -> Vec<Seen> {
        let mut state = self.state.lock();
        std::mem::take(&mut state.seen)
    }

    /// Lets the relay answer some requests itself.
    pub fn inject(&self, fault: Fault) {
        let mut state = self.state.lock();
        state.faults.push(fault);
    }

    fn iam(&self, form: &[(&str, &str)]) -> Result<String> {
        let version = [("Version", "2010-05-08")];
        let mut answer = self
            .agent
            .post(format!("{}/", self.direct))
            .header("Authorization", unsigned("iam"))
            .send_form(form.iter().chain(&version).copied())?;
        let body = answer.body_mut().read_to_string()?;
        if !answer.status().is_success() {
            bail!("iam: {} {body}", answer.status());
        }
        Ok(body)
    }
}

/// What moto needs to tell the service; it looks no closer unless told to.
fn unsigned(service: &str) -> String {
    format!(
        "AWS4-HMAC-SHA256 Credential=test/20260101/{REGION}/{service}/aws4_request, \
         SignedHeaders=host, Signature=0"
    )
}
