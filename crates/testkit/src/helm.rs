//! Helm as tests use it: charts rendered to parsed objects, and releases on a test cluster. Runs the
//! real program; nothing about any chart is known here.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::program::Program;
use crate::{manifest, place};

/// The chart of the project, relative to the workspace.
pub const CHART: &str = "deploy/charts/external-secrets";

/// The image that releases of tests name: the chart has no default. The registry exists nowhere.
pub const IMAGE: &str = "registry.example/lockstep";
/// Values with the image; those of a test come after it.
const IMAGE_FILE: &str = "image.yaml";

/// The Helm command line with settings of its own, so that nobody's home is read or written.
pub struct Helm {
    program: PathBuf,
    home: tempfile::TempDir,
    kubeconfig: Option<PathBuf>,
}

/// Settings of a rendering beside the values.
#[derive(Clone, Copy, Debug)]
pub struct Render<'a> {
    /// Name of the release.
    pub release: &'a str,
    /// Namespace of the release.
    pub namespace: &'a str,
    /// API versions that the cluster is said to have beside the built-in ones.
    pub apis: &'a [&'a str],
    /// Version of Kubernetes that the cluster is said to have.
    pub kube: &'a str,
}

impl Default for Render<'_> {
    fn default() -> Self {
        Self {
            release: "external-secrets",
            namespace: "external-secrets",
            apis: &[],
            kube: "1.36.0",
        }
    }
}

impl Helm {
    /// Helm without a cluster.
    pub fn ready() -> Result<Self> {
        let home = tempfile::tempdir()?;
        let image = json!({"image": {"repository": IMAGE}});
        std::fs::write(home.path().join(IMAGE_FILE), serde_json::to_vec(&image)?)?;
        Ok(Self {
            program: Program::Helm.ready()?,
            home,
            kubeconfig: None,
        })
    }

    /// Helm for the cluster of a kubeconfig.
    pub fn on(kubeconfig: &Path) -> Result<Self> {
        let mut helm = Self::ready()?;
        helm.kubeconfig = Some(kubeconfig.to_owned());
        Ok(helm)
    }

    /// The project's chart.
    pub fn chart() -> PathBuf {
        place::workspace().join(CHART)
    }

    /// The text that the project's chart renders with `values`. The image is set unless they set it.
    pub fn text(&self, render: Render<'_>, values: &Value) -> Result<String> {
        self.text_of(&Self::chart(), render, values)
    }

    /// The text that a chart renders with `values`, and with the image as [`Helm::text`] has it.
    pub fn text_of(&self, chart: &Path, render: Render<'_>, values: &Value) -> Result<String> {
        let file = self.values(values)?;
        let mut command = self.command(["template", render.release]);
        command.arg(chart);
        command
            .arg("--values")
            .arg(self.home.path().join(IMAGE_FILE));
        command.arg("--values").arg(file.path());
        command.args(["--namespace", render.namespace]);
        command.args(render.apis.iter().flat_map(|api| ["--api-versions", api]));
        run(command.args(["--kube-version", render.kube]))
    }

    /// The objects that the project's chart renders with `values`.
    pub fn objects(&self, render: Render<'_>, values: &Value) -> Result<Vec<Value>> {
        manifest::parse(&self.text(render, values)?)
    }

    /// Any command with the project's chart and values, for example `["upgrade", "--install", "es"]`;
    /// says what Helm wrote. The image is set unless the values set it.
    pub fn release(&self, words: &[&str], values: &Value) -> Result<String> {
        let file = self.values(values)?;
        let mut command = self.command(words);
        command.arg(Self::chart());
        command
            .arg("--values")
            .arg(self.home.path().join(IMAGE_FILE));
        run(command.arg("--values").arg(file.path()))
    }

    /// Any command without a chart, for example `["uninstall", "es"]`.
    pub fn run(&self, words: &[&str]) -> Result<String> {
        run(&mut self.command(words))
    }

    fn values(&self, values: &Value) -> Result<tempfile::NamedTempFile> {
        let file = tempfile::Builder::new()
            .suffix(".yaml")
            .tempfile_in(self.home.path())?;
        std::fs::write(file.path(), serde_json::to_vec(values)?)?;
        Ok(file)
    }

    fn command<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words);
        for variable in ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"] {
            command.env(variable, self.home.path());
        }
        let nowhere = self.home.path().join("no-kubeconfig");
        command.env("KUBECONFIG", self.kubeconfig.as_ref().unwrap_or(&nowhere));
        command
    }
}

fn run(command: &mut Command) -> Result<String> {
    let output = command.output().context("cannot start helm")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    String::from_utf8(output.stdout).context("helm wrote no text")
}

/// The one object of a kind and name; an error names what there is.
pub fn find<'a>(objects: &'a [Value], kind: &str, name: &str) -> Result<&'a Value> {
    let label = format!("{kind} {name}");
    let mut found = objects
        .iter()
        .filter(|object| manifest::label(object) == label);
    match (found.next(), found.next()) {
        (Some(object), None) => Ok(object),
        (Some(_), Some(_)) => bail!("{label} is there more than once"),
        _ => {
            let all: Vec<_> = objects.iter().map(manifest::label).collect();
            bail!("no {label} among {}", all.join(", "))
        }
    }
}
