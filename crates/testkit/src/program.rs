//! Programs that tests run beside the control plane: Helm, kubectl, the controllers of Flux, and
//! checks around released packages. Each is pinned by a module in `tools/` and built once per version
//! into the user's cache.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::controlplane::{assets, build};
use crate::place;
use crate::progress::Step;

/// A program that tests use as its authors release it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Program {
    /// The Helm 3 command line.
    Helm,
    /// The Kubernetes command line.
    Kubectl,
    /// Reads alerting rules and queries as Prometheus does; a few lines of ours around its packages.
    PromCheck,
    /// Compares and judges objects as Argo CD does; a few lines of ours around its packages.
    ArgoCheck,
    /// Flux: fetches artifacts.
    SourceController,
    /// Flux: applies Kustomizations.
    KustomizeController,
    /// Flux: installs HelmReleases.
    HelmController,
}

impl Program {
    /// Where the program is; it is built when it is missing.
    pub fn ready(self) -> Result<PathBuf> {
        let version = self.version()?;
        let folder = place::cache()?.join("programs").join(format!(
            "{}-{version}{}",
            self.name(),
            self.revision()?
        ));
        let path = folder.join(self.name());
        if !path.is_file() {
            self.build(&folder, &path, &version)?;
        }
        Ok(path)
    }

    /// The version that the wrapper module pins.
    pub fn version(self) -> Result<String> {
        let manifest = assets::tools().join(self.module()).join("go.mod");
        assets::required(&manifest, self.requirement())
    }

    /// What tells builds of our own lines apart; nothing for programs that are built as released.
    fn revision(self) -> Result<String> {
        if self.package() != "." {
            return Ok(String::new());
        }
        let folder = assets::tools().join(self.module());
        let files = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let mut sources = files
            .map(|file| Ok(file?.path()))
            .collect::<Result<Vec<_>>>()?;
        sources.retain(|path| path.extension().is_some_and(|kind| kind == "go"));
        sources.sort();
        let mut hasher = DefaultHasher::new();
        for source in sources {
            let text = fs::read(&source);
            text.with_context(|| format!("cannot read {}", source.display()))?
                .hash(&mut hasher);
        }
        Ok(format!("-{:016x}", hasher.finish()))
    }

    /// The folder of a module's source in Go's cache, for files that are shipped with it.
    pub fn source(self) -> Result<PathBuf> {
        let folder = assets::tools().join(self.module());
        let output = std::process::Command::new("go")
            .arg("-C")
            .arg(&folder)
            .args(["list", "-m", "-f", "{{.Dir}}", self.requirement()])
            .env("GOWORK", "off")
            .output()
            .context("go is needed to find the module's files")?;
        let text = String::from_utf8(output.stdout)?;
        let found = PathBuf::from(text.trim());
        anyhow::ensure!(
            found.is_dir(),
            "go has no source of {}: {}",
            self.requirement(),
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(found)
    }

    /// The name of the executable.
    pub fn name(self) -> &'static str {
        match self {
            Self::Helm => "helm",
            Self::Kubectl => "kubectl",
            Self::PromCheck => "promcheck",
            Self::ArgoCheck => "argocheck",
            Self::SourceController => "source-controller",
            Self::KustomizeController => "kustomize-controller",
            Self::HelmController => "helm-controller",
        }
    }

    fn module(self) -> String {
        match self {
            Self::Helm | Self::PromCheck => self.name().to_owned(),
            Self::Kubectl => "controlplane-kube".to_owned(),
            Self::ArgoCheck => "gitops-argo".to_owned(),
            _ => format!("gitops-{}", self.name()),
        }
    }

    fn requirement(self) -> &'static str {
        match self {
            Self::Helm => "helm.sh/helm/v3",
            Self::Kubectl => "k8s.io/kubernetes",
            Self::PromCheck => "github.com/prometheus/prometheus",
            Self::ArgoCheck => "github.com/argoproj/gitops-engine",
            Self::SourceController => "github.com/fluxcd/source-controller",
            Self::KustomizeController => "github.com/fluxcd/kustomize-controller",
            Self::HelmController => "github.com/fluxcd/helm-controller",
        }
    }

    fn package(self) -> &'static str {
        match self {
            Self::Helm => "helm.sh/helm/v3/cmd/helm",
            Self::Kubectl => "k8s.io/kubernetes/cmd/kubectl",
            Self::PromCheck | Self::ArgoCheck => ".",
            _ => self.requirement(),
        }
    }

    fn build(self, folder: &Path, path: &Path, version: &str) -> Result<()> {
        build::check_go()?;
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let _lock = build::lock(&folder.join("lock"))?;
        // Another process may have built it while we waited for the lock.
        if path.is_file() {
            return Ok(());
        }
        let what = format!("building {} {version}", self.name());
        let mut step = Step::begin(what, "1 to 3 min on two cores, once per version");
        let temporary = tempfile::Builder::new()
            .prefix(".building-")
            .tempdir_in(folder)?;
        let out = temporary.path().join(self.name());
        let module = assets::tools().join(self.module());
        let arguments = [
            "go",
            "-C",
            &module.display().to_string(),
            "build",
            "-v",
            "-ldflags",
            "-s -w",
            "-o",
            &out.display().to_string(),
            self.package(),
        ]
        .map(str::to_owned);
        build::run_go(&arguments, &mut step)?;
        fs::rename(&out, path)
            .with_context(|| format!("cannot put {} into place", path.display()))?;
        step.done(&format!("built into {}", folder.display()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_has_a_pinned_version() {
        let all = [
            Program::Helm,
            Program::Kubectl,
            Program::PromCheck,
            Program::ArgoCheck,
            Program::SourceController,
            Program::KustomizeController,
            Program::HelmController,
        ];
        for program in all {
            let version = program.version().unwrap();

            assert!(version.starts_with('v'), "{program:?}: {version}");
        }
    }
}
