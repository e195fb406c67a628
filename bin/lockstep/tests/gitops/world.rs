//! A cluster with Flux and a pod runner, and a folder that stands for the Git repository.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lockstep_testkit::api::Api;
use lockstep_testkit::controlplane::{Cluster, ControlPlane};
use lockstep_testkit::flux::Flux;
use lockstep_testkit::helm::IMAGE;
use lockstep_testkit::pods::{PodRunner, Settings};
use lockstep_testkit::poll::until_holds;
use lockstep_testkit::{manifest, place};
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Value, json};

const NETWORK: [u8; 3] = [10, 77, 0];

pub(crate) struct World {
    pub(crate) api: Api,
    flux: Option<Flux>,
    kubeconfig: PathBuf,
    repository: tempfile::TempDir,
    commits: u32,
    // Dropped in this order: what talks to the cluster ends before the cluster.
    _pods: PodRunner,
    plane: ControlPlane,
    dir: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl World {
    /// A cluster whose pods run, with Flux.
    pub(crate) fn new() -> Self {
        Self::with_environment(Vec::new())
    }

    /// A cluster with Flux whose pods have these variables too.
    pub(crate) fn with_environment(environment: Vec<(String, String)>) -> Self {
        let mut world = Self::cluster(environment);
        let [a, b, c] = NETWORK;
        let (ip, dir) = (IpAddr::from([a, b, c, 1]), world.dir.path().to_owned());
        world.flux = Some(Flux::start(&world.plane, ip, &dir).unwrap());
        world
    }

    /// A cluster whose pods run.
    pub(crate) fn without_flux() -> Self {
        Self::cluster(Vec::new())
    }

    fn cluster(environment: Vec<(String, String)>) -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock();
        let plane = ControlPlane::start(None).unwrap();
        let cluster: &Cluster = &plane;
        let api = cluster.admin().unwrap();
        // The operator comes with its own rights here.
        api.delete("/api/v1/namespaces/external-secrets").unwrap();
        for kind in ["clusterroles", "clusterrolebindings"] {
            let root = "/apis/rbac.authorization.k8s.io/v1";
            api.delete(&format!("{root}/{kind}/external-secrets-controller"))
                .unwrap();
        }
        let gone = "/api/v1/namespaces/external-secrets";
        until("absence of the namespace", Duration::from_mins(1), || {
            api.find(gone).unwrap().is_none()
        });
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings {
            program: Path::new(env!("CARGO_BIN_EXE_lockstep")).to_owned(),
            image: IMAGE.to_owned(),
            network: NETWORK,
            dir: dir.path().to_owned(),
            environment,
        };
        let pods = PodRunner::start(cluster, settings).unwrap();
        Self {
            api,
            flux: None,
            kubeconfig: cluster.admin_kubeconfig(),
            repository: tempfile::tempdir().unwrap(),
            commits: 0,
            _pods: pods,
            plane,
            dir,
            _turn: turn,
        }
    }

    /// Flux.
    pub(crate) fn flux(&self) -> &Flux {
        self.flux.as_ref().unwrap()
    }

    /// Reaches the cluster with all rights.
    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Puts a manifest into the repository.
    pub(crate) fn write(&self, path: &str, objects: &[Value]) {
        let path = self.repository.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text: Vec<_> = objects.iter().map(Value::to_string).collect();
        std::fs::write(path, text.join("\n---\n")).unwrap();
    }

    /// Puts the project's CRD bundle into the repository.
    pub(crate) fn write_crds(&self, path: &str) {
        let path = self.repository.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(place::workspace().join("deploy/crds/bundle.yaml"), path).unwrap();
    }

    /// Takes a file out of the repository.
    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.repository.path().join(path)).unwrap();
    }

    /// Publishes the repository as it is.
    pub(crate) fn commit(&mut self) {
        self.commits += 1;
        self.flux()
            .commit(self.repository.path(), self.commits)
            .unwrap();
    }

    /// Waits until the ExternalSecret is ready and its Secret is there; says how long that took.
    pub(crate) fn converged(&self, limit: Duration) -> Duration {
        let path = "/apis/external-secrets.io/v1/namespaces/external-secrets/externalsecrets/es";
        until("convergence", limit, || {
            let ready = self.condition(path) == Some("True".to_owned());
            ready && self.api.find(SECRET).is_ok_and(|secret| secret.is_some())
        })
    }

    /// Status of the condition Ready; nothing while there is none.
    pub(crate) fn condition(&self, path: &str) -> Option<String> {
        let object = self.api.find(path).ok()??;
        let conditions = object["status"]["conditions"].as_array()?;
        let ready = conditions
            .iter()
            .find(|condition| condition["type"] == "Ready")?;
        Some(manifest::text(ready, "/status").to_owned())
    }

    /// No process of ours has ended since the beginning.
    pub(crate) fn assert_no_restarts(&self) {
        let pods = self
            .api
            .get("/api/v1/namespaces/external-secrets/pods")
            .unwrap();
        for pod in pods["items"].as_array().unwrap() {
            let restarts = &pod["status"]["containerStatuses"][0]["restartCount"];
            assert_eq!(*restarts, json!(0), "{}", manifest::label(pod));
        }
    }
}

pub(crate) const SECRET: &str = "/api/v1/namespaces/external-secrets/secrets/es";

/// Waits until something holds; says how long that took.
pub(crate) fn until(what: &str, limit: Duration, holds: impl FnMut() -> bool) -> Duration {
    let held = until_holds(limit, holds);
    held.ok_or_else(|| format!("{what} did not happen within {limit:?}"))
        .unwrap()
}
