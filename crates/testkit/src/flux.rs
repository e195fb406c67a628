//! Flux on a test cluster: its released controllers as processes, a chart repository, and a Git
//! repository whose content is a folder. The Git server is not there: the archive that the source
//! controller would make of a commit is made here.

use std::fs::File;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::api::Api;
use crate::controlplane::{Cluster, ready};
use crate::files::FileServer;
use crate::program::Program;
use crate::{helm, manifest};

const NAMESPACE: &str = "flux-system";
const CONTROLLERS: [Program; 3] = [
    Program::SourceController,
    Program::KustomizeController,
    Program::HelmController,
];

/// The running controllers, ended on drop.
pub struct Flux {
    api: Api,
    dir: PathBuf,
    files: FileServer,
    children: Vec<Child>,
}

impl Flux {
    /// Builds every program that Flux takes; do it before the network is gone.
    pub fn prepare() -> Result<()> {
        for program in CONTROLLERS {
            program.ready()?;
            program.source()?;
        }
        Ok(())
    }

    /// Installs Flux's CRDs, starts its controllers on `ip`, and serves the project's chart.
    pub fn start(cluster: &Cluster, ip: IpAddr, dir: &Path) -> Result<Self> {
        let api = cluster.admin()?;
        api.apply(
            &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}),
        )?;
        for program in CONTROLLERS {
            install(&api, &program.source()?.join("config/crd/bases"))?;
        }
        let served = dir.join("served");
        package(&served.join("charts"))?;
        let mut flux = Self {
            api,
            dir: dir.to_owned(),
            files: FileServer::start(ip, &served)?,
            children: Vec::new(),
        };
        for (place, program) in CONTROLLERS.into_iter().enumerate() {
            let port = 9100 + 10 * u16::try_from(place)?;
            flux.spawn(program, cluster, ip, port)?;
        }
        Ok(flux)
    }

    /// The address of the chart repository.
    pub fn charts(&self) -> String {
        self.files.url("charts")
    }

    /// Publishes the content of `folder` as the next commit of the Git repository.
    pub fn commit(&self, folder: &Path, number: u32) -> Result<()> {
        let name = format!("repository-{number}.tar.gz");
        let archive = self.dir.join("served").join(&name);
        run(Command::new("tar")
            .arg("-C")
            .arg(folder)
            .arg("-czf")
            .arg(&archive)
            .arg("."))?;
        let digest = run(Command::new("sha256sum").arg(&archive))?;
        let digest = digest.split(' ').next().unwrap_or_default();
        let repository = json!({
            "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
            "metadata": {"name": NAMESPACE, "namespace": NAMESPACE},
            // The source controller leaves suspended objects alone.
            "spec": {"interval": "1h", "url": "https://git.example.org/repository", "suspend": true},
        });
        let made = self.api.apply(&repository)?;
        let path = self.api.path_of(&repository)?;
        let now = "2026-01-01T00:00:00Z";
        let status = json!({"status": {
            "observedGeneration": made["metadata"]["generation"],
            "artifact": {
                "url": self.files.url(&name), "path": name, "digest": format!("sha256:{digest}"),
                "revision": format!("main@sha1:{number:040x}"), "lastUpdateTime": now,
                "size": archive.metadata()?.len(),
            },
            "conditions": [{
                "type": "Ready", "status": "True", "reason": "Succeeded", "message": "stored artifact",
                "lastTransitionTime": now, "observedGeneration": made["metadata"]["generation"],
            }],
        }});
        self.api.merge(&format!("{path}/status"), &status)?;
        Ok(())
    }

    /// Applies [`Flux::kustomization_object`].
    pub fn kustomization(&self, name: &str, path: &str, more: &Value) -> Result<()> {
        self.api
            .apply(&Self::kustomization_object(name, path, more))?;
        Ok(())
    }

    /// A Kustomization over a path of the Git repository, with further fields of its spec.
    pub fn kustomization_object(name: &str, path: &str, more: &Value) -> Value {
        let mut object = json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": {"name": name, "namespace": NAMESPACE},
            "spec": {
                "interval": "10m0s", "path": path, "prune": true,
                "sourceRef": {"kind": "GitRepository", "name": NAMESPACE},
            },
        });
        for (key, value) in more.as_object().into_iter().flatten() {
            object["spec"][key] = value.clone();
        }
        object
    }

    fn spawn(&mut self, program: Program, cluster: &Cluster, ip: IpAddr, port: u16) -> Result<()> {
        let log = File::create(self.dir.join(format!("{}.log", program.name())))?;
        let mut command = Command::new(program.ready()?);
        command
            .arg(format!("--metrics-addr={ip}:{port}"))
            .arg(format!("--health-addr={ip}:{}", port + 1))
            .args([
                "--watch-all-namespaces=true",
                "--enable-leader-election=false",
            ])
            .args(["--log-level=info", "--events-addr="])
            .env("KUBECONFIG", cluster.admin_kubeconfig())
            .env("RUNTIME_NAMESPACE", NAMESPACE)
            .env("HOME", &self.dir)
            .env("TMPDIR", &self.dir);
        if program == Program::SourceController {
            let storage = self.dir.join("artifacts");
            std::fs::create_dir_all(&storage)?;
            let address = format!("{ip}:{}", port + 2);
            command
                .arg("--storage-path")
                .arg(storage)
                .arg(format!("--storage-addr={address}"))
                .arg(format!("--storage-adv-addr={address}"));
        }
        let child = command
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start {}", program.name()))?;
        self.children.push(child);
        Ok(())
    }
}

impl Drop for Flux {
    fn drop(&mut self) {
        for child in &mut self.children {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// Applies the CRDs of a folder and waits until their kinds are served: Flux's controllers exit when
/// one is missing.
fn install(api: &Api, folder: &Path) -> Result<()> {
    let mut crds = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        crds.extend(manifest::read(&entry?.path())?);
    }
    ready::install_crds(api, &crds).map(drop)
}

/// Makes a chart repository of the project's chart.
fn package(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let helm = helm::Helm::ready()?;
    let (chart, folder) = (
        helm::Helm::chart().display().to_string(),
        folder.display().to_string(),
    );
    helm.run(&["package", &chart, "--destination", &folder])?;
    helm.run(&["repo", "index", &folder])?;
    Ok(())
}

fn run(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8(output.stdout)?)
}
