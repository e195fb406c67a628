//! The three programs of a control plane: which versions, and where each is found. A program in
//! `KUBEBUILDER_ASSETS` is taken as it is; the others come from the cache, built when they are
//! missing.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::build;
use crate::place;

/// The programs, in the order they are started.
pub(super) const PROGRAMS: [Program; 3] = [
    Program {
        name: "etcd",
        module: "controlplane-etcd",
        package: "go.etcd.io/etcd/server/v3",
    },
    Program {
        name: "kube-apiserver",
        module: "controlplane-kube",
        package: "k8s.io/kubernetes/cmd/kube-apiserver",
    },
    Program {
        name: "kube-controller-manager",
        module: "controlplane-kube",
        package: "k8s.io/kubernetes/cmd/kube-controller-manager",
    },
];

/// One program and the wrapper module in `tools/` that pins it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) module: &'static str,
    pub(super) package: &'static str,
}

/// Where each program is.
#[derive(Clone, Debug)]
pub struct Assets {
    /// The etcd server.
    pub etcd: PathBuf,
    /// The API server.
    pub apiserver: PathBuf,
    /// The controller manager: garbage collection and namespaces.
    pub controller_manager: PathBuf,
}

/// The versions that the wrapper modules pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Of Kubernetes, for example `v1.36.3`.
    pub kube: String,
    /// Of etcd, for example `v3.7.3`.
    pub etcd: String,
}

impl Assets {
    /// Finds every program and builds those that are missing, with progress on standard error.
    pub fn ready() -> Result<Self> {
        let version = Version::pinned()?;
        let cache = place::cache()?
            .join("controlplane")
            .join(version.to_string());
        let given = place::set("KUBEBUILDER_ASSETS");
        let mut found = Vec::new();
        let mut missing = Vec::new();
        for program in PROGRAMS {
            let theirs = given.as_ref().map(|dir| dir.join(program.name));
            let path = match theirs.filter(|path| path.is_file()) {
                Some(path) => path,
                None => cache.join(program.name),
            };
            if !path.is_file() {
                missing.push(program);
            }
            found.push(path);
        }
        if !missing.is_empty() {
            build::build(&missing, &cache, &version)?;
        }
        let [etcd, apiserver, controller_manager] = <[PathBuf; 3]>::try_from(found)
            .ok()
            .context("three programs make a control plane")?;
        Ok(Self {
            etcd,
            apiserver,
            controller_manager,
        })
    }
}

impl Version {
    /// Reads the versions from the wrapper modules, the only place where they are written.
    pub fn pinned() -> Result<Self> {
        let tools = tools();
        let kube = tools.join("controlplane-kube/go.mod");
        let etcd = tools.join("controlplane-etcd/go.mod");
        Ok(Self {
            kube: required(&kube, "k8s.io/kubernetes")?,
            etcd: required(&etcd, "go.etcd.io/etcd/server/v3")?,
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kube-{}-etcd-{}", self.kube, self.etcd)
    }
}

/// The folder of the wrapper modules.
pub(crate) fn tools() -> PathBuf {
    place::workspace().join("tools")
}

pub(crate) fn required(manifest: &Path, module: &str) -> Result<String> {
    let text = std::fs::read_to_string(manifest)
        .with_context(|| format!("cannot read {}", manifest.display()))?;
    let found = text.lines().find_map(|line| {
        let line = line.trim().strip_prefix("require ").unwrap_or(line.trim());
        let version = line.strip_prefix(module)?.strip_prefix(' ')?;
        version.split_whitespace().next().map(str::to_owned)
    });
    found.with_context(|| format!("{} does not require {module}", manifest.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_named_after_the_pinned_versions() {
        let version = Version::pinned().unwrap();

        let name = version.to_string();

        assert!(
            name.starts_with("kube-v1.") && name.contains("-etcd-v3."),
            "{name}"
        );
    }
}
