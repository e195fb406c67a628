//! A real control plane for tests: etcd, kube-apiserver and kube-controller-manager on loopback,
//! RBAC on.
//!
//! [`ControlPlane::start`] builds the programs if need be, starts them in one process group and
//! sets up the operator's ServiceAccount with upstream's rights. The group ends with this value,
//! and also when this process is killed.

pub(crate) mod assets;
pub(crate) mod build;
pub(crate) mod guard;
mod pki;
pub(crate) mod ready;
mod servers;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow};
use serde_json::Value;

use crate::api::Api;
use crate::kubeconfig::Access;
use crate::{manifest, place};

pub use assets::{Assets, Version};
pub use pki::ClientCertificate;

/// The environment variable that hands a running cluster to tests: its folder.
pub const CLUSTER: &str = "LOCKSTEP_TEST_CLUSTER";

/// The CRDs of the project, relative to the workspace.
pub const CRDS: &str = "deploy/crds/bundle.yaml";

/// A cluster that runs, known by the folder with its kubeconfigs and logs.
#[derive(Clone, Debug)]
pub struct Cluster {
    dir: PathBuf,
}

/// A cluster that this process started and ends.
pub struct ControlPlane {
    cluster: Cluster,
    servers: servers::Servers,
    /// Kept last: a temporary folder is removed after the programs in it have ended.
    _temporary: Option<tempfile::TempDir>,
}

/// Whether the kube-controller-manager runs.
enum Controllers {
    Running,
    None,
}

impl ControlPlane {
    /// Starts a cluster in `dir`, which is kept, or in a temporary folder, which is not.
    pub fn start(dir: Option<&Path>) -> Result<Self> {
        Self::start_with(dir, Controllers::Running)
    }

    /// Starts etcd and the API server alone, for measurements that nobody else's requests should
    /// blur. Deleted namespaces stay and nothing is garbage collected there.
    pub fn start_bare() -> Result<Self> {
        Self::start_with(None, Controllers::None)
    }

    fn start_with(dir: Option<&Path>, controllers: Controllers) -> Result<Self> {
        let assets = Assets::ready()?;
        let (dir, temporary) = if let Some(own) = dir {
            std::fs::create_dir_all(own)
                .with_context(|| format!("cannot make {}", own.display()))?;
            (own.canonicalize()?, None)
        } else {
            let made = tempfile::Builder::new()
                .prefix("lockstep-cluster-")
                .tempdir()?;
            (made.path().to_owned(), Some(made))
        };
        let cluster = Cluster { dir };
        let mut servers = servers::Servers::start(&cluster, &assets, temporary.is_some())?;
        if matches!(controllers, Controllers::Running) {
            servers.start_controllers(&cluster, &assets)?;
        }
        Ok(Self {
            cluster,
            servers,
            _temporary: temporary,
        })
    }

    /// Kills the API server, as a crash of its machine would; everything else stays.
    pub fn kill_api_server(&mut self) -> Result<()> {
        self.servers.kill_api_server()
    }

    /// Starts a killed API server again, on its port and its data, and waits until it is ready.
    pub fn start_api_server(&mut self) -> Result<()> {
        let assets = Assets::ready()?;
        self.servers.start_api_server(&self.cluster, &assets)
    }

    /// Keeps the state of the cluster for [`ControlPlane::restore`]. Servers are away meanwhile.
    pub fn back_up(&mut self) -> Result<()> {
        let (assets, backup) = (Assets::ready()?, self.dir().join("etcd-backup"));
        self.servers
            .with_etcd_stopped(&self.cluster, &assets, |etcd| copy(etcd, &backup))
    }

    /// Makes the cluster what it was at the last backup, resource versions included.
    pub fn restore(&mut self) -> Result<()> {
        let (assets, backup) = (Assets::ready()?, self.dir().join("etcd-backup"));
        self.servers
            .with_etcd_stopped(&self.cluster, &assets, |etcd| {
                std::fs::remove_dir_all(etcd)?;
                copy(&backup, etcd)
            })
    }

    /// The first program that has ended although it should not, with how it ended and where its log
    /// is.
    pub fn ended(&mut self) -> Option<(&'static str, ExitStatus)> {
        self.servers.ended()
    }
}

/// Copies a folder with all it holds.
fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

impl Deref for ControlPlane {
    type Target = Cluster;

    fn deref(&self) -> &Cluster {
        &self.cluster
    }
}

impl Cluster {
    /// A cluster that another process started.
    pub fn open(dir: impl Into<PathBuf>) -> Result<Self> {
        let cluster = Self { dir: dir.into() };
        Access::read(&cluster.admin_kubeconfig()).context("no running test cluster there")?;
        Ok(cluster)
    }

    /// The cluster of this test run: the one named by `LOCKSTEP_TEST_CLUSTER`, if any.
    pub fn given() -> Result<Option<Self>> {
        place::set(CLUSTER).map(Self::open).transpose()
    }

    /// The cluster for tests: the one this run was given, otherwise one started for this process.
    /// Its CRDs are installed.
    ///
    /// A cluster started here ends with the process: nobody drops it, its guard notices.
    pub fn shared() -> Result<&'static Self> {
        static SHARED: OnceLock<Result<Shared, String>> = OnceLock::new();
        let shared = SHARED.get_or_init(|| Shared::open().map_err(|error| format!("{error:#}")));
        match shared {
            Ok(Shared::Given(cluster)) => Ok(cluster),
            Ok(Shared::Own(plane)) => Ok(plane),
            Err(error) => Err(anyhow!("no test cluster: {error}")),
        }
    }

    /// The folder with kubeconfigs and logs.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The kubeconfig of a user who may do everything.
    pub fn admin_kubeconfig(&self) -> PathBuf {
        self.dir.join("kubeconfig-admin")
    }

    /// The kubeconfig of the ServiceAccount `external-secrets/external-secrets` with upstream's
    /// rights.
    pub fn operator_kubeconfig(&self) -> PathBuf {
        self.dir.join("kubeconfig-operator")
    }

    /// A blocking client with all rights.
    pub fn admin(&self) -> Result<Api> {
        Api::new(Access::read(&self.admin_kubeconfig())?)
    }

    /// A client certificate for a user of this cluster, signed by the CA the API server trusts.
    pub fn client_certificate(&self, user: &str, group: Option<&str>) -> Result<ClientCertificate> {
        pki::client_certificate(&self.dir, user, group)
    }

    /// Applies every document of a YAML text.
    pub fn apply(&self, yaml: &str) -> Result<()> {
        let api = self.admin()?;
        for object in manifest::parse(yaml)? {
            api.apply(&object)?;
        }
        Ok(())
    }

    /// Puts the project's CustomResourceDefinitions in place, waits until they are served and says
    /// how many they are.
    pub fn install_crds(&self) -> Result<usize> {
        let bundle = place::workspace().join(CRDS);
        self.install(&manifest::read(&bundle)?)
    }

    /// The same with other CustomResourceDefinitions.
    pub fn install(&self, crds: &[Value]) -> Result<usize> {
        ready::install_crds(&self.admin()?, crds)
    }
}

enum Shared {
    Given(Cluster),
    Own(ControlPlane),
}

impl Shared {
    fn open() -> Result<Self> {
        if let Some(cluster) = Cluster::given()? {
            return Ok(Self::Given(cluster));
        }
        let plane = ControlPlane::start(None)?;
        plane.install_crds()?;
        Ok(Self::Own(plane))
    }
}
