//! Argo CD's judgement of objects: its own diff library and its own health scripts, asked through a
//! small program around them. Nothing about any kind is known here.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::api::Api;
use crate::manifest;
use crate::program::Program;

/// The release whose health scripts are run.
const RELEASE: &str = "github.com/argoproj/argo-cd/v3@v3.5.6";

/// How Argo CD compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Three ways, with what was last applied by a client: the default.
    ClientSide,
    /// By a local merge, where objects are applied by the server.
    StructuredMerge,
    /// By a dry run of the server.
    ServerSide,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::ClientSide, Self::StructuredMerge, Self::ServerSide];

    fn word(self) -> &'static str {
        match self {
            Self::ClientSide => "legacy",
            Self::StructuredMerge => "structured",
            Self::ServerSide => "server",
        }
    }
}

/// Asks Argo CD's code about objects of one cluster.
pub struct Argo {
    program: PathBuf,
    scripts: PathBuf,
    schema: tempfile::NamedTempFile,
}

impl Argo {
    /// Builds what is missing and reads the cluster's schema as it is now.
    pub fn on(api: &Api) -> Result<Self> {
        let schema = tempfile::NamedTempFile::new()?;
        std::fs::write(schema.path(), api.text("/openapi/v2")?)?;
        Ok(Self {
            program: Program::ArgoCheck.ready()?,
            scripts: scripts()?,
            schema,
        })
    }

    /// Builds and fetches what a later [`Argo::on`] needs.
    pub fn prepare() -> Result<()> {
        Program::ArgoCheck.ready()?;
        scripts().map(drop)
    }

    /// What differs between a manifest and the object in the cluster; nothing when they are in sync.
    /// `predicted` is the server's answer to a dry run.
    pub fn diff(
        &self,
        mode: Mode,
        wanted: &Value,
        live: &Value,
        predicted: &Value,
    ) -> Result<Option<String>> {
        let request = json!({
            "mode": mode.word(), "config": wanted, "live": live, "predicted": predicted,
        });
        let answer = self.ask(&request)?;
        if answer["modified"] != true {
            return Ok(None);
        }
        Ok(Some(format!(
            "{} is {}",
            answer["predicted"], answer["live"]
        )))
    }

    /// Health and message, by the script of the object's kind.
    pub fn health(&self, live: &Value) -> Result<(String, String)> {
        let group = manifest::text(live, "/apiVersion").split('/').next();
        let script = self
            .scripts
            .join(group.unwrap_or_default())
            .join(manifest::text(live, "/kind"))
            .join("health.lua");
        let text = std::fs::read_to_string(&script)
            .with_context(|| format!("no script {}", script.display()))?;
        let answer = self.ask(&json!({"script": text, "live": live}))?;
        let text = |pointer| manifest::text(&answer, pointer).to_owned();
        Ok((text("/status"), text("/message")))
    }

    fn ask(&self, request: &Value) -> Result<Value> {
        let mut child = Command::new(&self.program)
            .arg(self.schema.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start argocheck")?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(json!([request]).to_string().as_bytes())?;
        }
        let output = child.wait_with_output()?;
        if !output.status.success() {
            bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let mut answers: Vec<Value> = serde_json::from_slice(&output.stdout)?;
        let answer = answers.pop().context("no answer")?;
        let error = manifest::text(&answer, "/error");
        ensure!(error.is_empty(), "{error}");
        Ok(answer)
    }
}

/// The folder of health scripts in the release's source.
fn scripts() -> Result<PathBuf> {
    let output = Command::new("go")
        .args(["mod", "download", "-json", RELEASE])
        .env("GOWORK", "off")
        .env("GOFLAGS", "-mod=mod")
        .output()
        .context("go is needed to fetch Argo CD's health scripts")?;
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let found = Path::new(manifest::text(&answer, "/Dir")).join("resource_customizations");
    ensure!(found.is_dir(), "go has no source of {RELEASE}: {answer}");
    Ok(found)
}
