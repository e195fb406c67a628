//! The running programs of one cluster: their flags, ports, order of start and the accounts made at
//! the end of it. What each flag means to tests is said here; how the processes are kept together
//! is the guard's business.

use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus};

use anyhow::{Result, bail};

use super::assets::Assets;
use super::guard::Guard;
use super::{Cluster, pki, ready};
use crate::api::Api;
use crate::kubeconfig::{Access, private};
use crate::port;

const TRIES: usize = 3;
const API_SERVER: &str = "kube-apiserver";
/// Name of the program, and of its folder.
const ETCD: &str = "etcd";

/// Every program of a cluster, ended on drop.
pub(super) struct Servers {
    guard: Guard,
    ports: Ports,
    /// Held so that no second cluster is started in the same folder.
    _lock: File,
}

impl Servers {
    /// Starts etcd and the API server and returns when the API server is ready and the operator's
    /// account exists.
    pub(super) fn start(cluster: &Cluster, assets: &Assets, temporary: bool) -> Result<Self> {
        let lock = File::create(cluster.dir().join("lock"))?;
        if lock.try_lock().is_err() {
            bail!("a cluster already runs in {}", cluster.dir().display());
        }
        let ca = pki::write(cluster.dir())?;
        let token = random_token()?;
        private(
            &cluster.dir().join("tokens.csv"),
            &format!("{token},admin,admin,system:masters\n"),
        )?;
        let mut tried = 0;
        let (guard, ports) = loop {
            tried += 1;
            let ports = Ports::free()?;
            let access = Access {
                server: format!("https://127.0.0.1:{}", ports.apiserver),
                ca: ca.clone(),
                token: token.clone(),
            };
            access.write(&cluster.admin_kubeconfig(), "admin", "default")?;
            let remove = temporary.then(|| cluster.dir());
            let mut guard = Guard::new(remove)?;
            match bring_up(&mut guard, cluster, assets, &ports, access) {
                Ok(()) => break (guard, ports),
                // Another process may take a free port between our look and the server's bind.
                Err(error)
                    if tried < TRIES && format!("{error:#}").contains("address already in use") => {
                }
                Err(error) => return Err(error),
            }
        };
        Ok(Self {
            guard,
            ports,
            _lock: lock,
        })
    }

    /// Kills the API server; etcd stays.
    pub(super) fn kill_api_server(&mut self) -> Result<()> {
        self.guard.kill(API_SERVER)
    }

    /// Starts the API server again on its port and its data, and waits until it is ready.
    pub(super) fn start_api_server(&mut self, cluster: &Cluster, assets: &Assets) -> Result<()> {
        let dir = cluster.dir();
        let command = apiserver(&assets.apiserver, dir, &self.ports);
        self.guard
            .spawn(API_SERVER, command, &dir.join("kube-apiserver.log"))?;
        ready::wait(&cluster.admin()?, dir, || self.guard.ended())
    }

    /// Stops etcd and the API server, lets `change` work on the folder of etcd, and starts both again.
    pub(super) fn with_etcd_stopped(
        &mut self,
        cluster: &Cluster,
        assets: &Assets,
        change: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<()> {
        self.guard.kill(API_SERVER)?;
        self.guard.kill(ETCD)?;
        let dir = cluster.dir();
        change(&dir.join(ETCD))?;
        let command = etcd(&assets.etcd, dir, &self.ports);
        self.guard.spawn(ETCD, command, &dir.join("etcd.log"))?;
        self.start_api_server(cluster, assets)
    }

    /// Starts the kube-controller-manager; nobody has to wait for it.
    pub(super) fn start_controllers(&mut self, cluster: &Cluster, assets: &Assets) -> Result<()> {
        let dir = cluster.dir();
        let kubeconfig = cluster.admin_kubeconfig();
        let manager = controller_manager(&assets.controller_manager, dir, &kubeconfig);
        let log = dir.join("kube-controller-manager.log");
        self.guard.spawn("kube-controller-manager", manager, &log)
    }

    pub(super) fn ended(&mut self) -> Option<(&'static str, ExitStatus)> {
        self.guard.ended()
    }
}

struct Ports {
    etcd: u16,
    peer: u16,
    apiserver: u16,
}

impl Ports {
    fn free() -> Result<Self> {
        Ok(Self {
            etcd: port::free()?.port(),
            peer: port::free()?.port(),
            apiserver: port::free()?.port(),
        })
    }
}

fn bring_up(
    guard: &mut Guard,
    cluster: &Cluster,
    assets: &Assets,
    ports: &Ports,
    access: Access,
) -> Result<()> {
    let dir = cluster.dir();
    let log = |name: &str| dir.join(format!("{name}.log"));
    guard.spawn(ETCD, etcd(&assets.etcd, dir, ports), &log(ETCD))?;
    guard.spawn(
        API_SERVER,
        apiserver(&assets.apiserver, dir, ports),
        &log(API_SERVER),
    )?;
    let api = Api::new(access.clone())?;
    ready::wait(&api, dir, || guard.ended())?;
    let token = ready::operator_account(&api)?;
    // Outside a pod the namespace of the context is where the lease lives.
    Access { token, ..access }.write(
        &cluster.operator_kubeconfig(),
        "operator",
        "external-secrets",
    )
}

fn etcd(program: &Path, dir: &Path, ports: &Ports) -> Command {
    let client = format!("http://127.0.0.1:{}", ports.etcd);
    let peer = format!("http://127.0.0.1:{}", ports.peer);
    let mut command = Command::new(program);
    command
        .arg("--data-dir")
        .arg(dir.join(ETCD))
        .args([
            "--listen-client-urls",
            &client,
            "--advertise-client-urls",
            &client,
        ])
        .args([
            "--listen-peer-urls",
            &peer,
            "--initial-advertise-peer-urls",
            &peer,
        ])
        .args(["--initial-cluster", &format!("default={peer}")])
        // A test cluster need not survive a power cut, and two cores need not wait for a disk.
        .arg("--unsafe-no-fsync")
        .args([
            "--quota-backend-bytes",
            "4294967296",
            "--log-level",
            "error",
        ]);
    command
}

fn apiserver(program: &Path, dir: &Path, ports: &Ports) -> Command {
    let mut command = Command::new(program);
    for (flag, file) in [
        ("--tls-cert-file", "apiserver.crt"),
        ("--tls-private-key-file", "apiserver.key"),
        ("--client-ca-file", "ca.crt"),
        ("--token-auth-file", "tokens.csv"),
        ("--service-account-signing-key-file", "sa.key"),
        ("--service-account-key-file", "sa.pub"),
        ("--cert-dir", "certs"),
    ] {
        command.arg(flag).arg(dir.join(file));
    }
    command
        .args([
            "--etcd-servers",
            &format!("http://127.0.0.1:{}", ports.etcd),
        ])
        .args(["--secure-port", &ports.apiserver.to_string()])
        .args([
            "--bind-address",
            "127.0.0.1",
            "--advertise-address",
            "127.0.0.1",
        ])
        .args(["--authorization-mode", "RBAC"])
        .args(["--service-account-issuer", "https://kubernetes.default.svc"])
        .args(["--service-cluster-ip-range", "10.0.0.0/24"])
        // No pod ever runs here, so nothing needs a token mounted.
        .args(["--disable-admission-plugins", "ServiceAccount"])
        .args([
            "--max-requests-inflight",
            "3000",
            "--max-mutating-requests-inflight",
            "1000",
        ])
        // Webhooks behind a Service are reached through its endpoints; no proxy runs here.
        .arg("--enable-aggregator-routing=true")
        .arg("--allow-privileged=true");
    command
}

fn controller_manager(program: &Path, dir: &Path, kubeconfig: &Path) -> Command {
    let without = [
        "nodeipam",
        "nodelifecycle",
        "service",
        "route",
        "attachdetach",
        "persistentvolume-binder",
        "cloud-node-lifecycle",
    ];
    let controllers: Vec<_> = without.iter().map(|name| format!(",-{name}")).collect();
    let mut command = Command::new(program);
    command
        .arg("--kubeconfig")
        .arg(kubeconfig)
        .arg("--service-account-private-key-file")
        .arg(dir.join("sa.key"))
        .arg("--root-ca-file")
        .arg(dir.join("ca.crt"))
        .args([
            "--use-service-account-credentials=false",
            "--leader-elect=false",
        ])
        .args(["--secure-port", "0"])
        .arg(format!("--controllers=*{}", controllers.concat()));
    command
}

fn random_token() -> Result<String> {
    let mut bytes = [0_u8; 16];
    rustls::crypto::ring::default_provider()
        .secure_random
        .fill(&mut bytes)
        .map_err(|_| anyhow::anyhow!("the system gives no random bytes"))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}
