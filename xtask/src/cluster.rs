//! `cargo xtask cluster`: a real API server for a person, with the CRDs installed, until Ctrl-C.

use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use lockstep_testkit::controlplane::ControlPlane;
use lockstep_testkit::progress::{say, seconds};

/// Starts a real Kubernetes API server for you and prints the kubeconfig to use with kubectl
///
/// etcd, kube-apiserver and kube-controller-manager run on loopback until you press Ctrl-C; no
/// nodes, no pods. The first run builds them with Go into your user cache (about five minutes on
/// two cores); later ones start in seconds.
///
/// Tests can use a running cluster too: LOCKSTEP_TEST_CLUSTER=FOLDER cargo test --package NAME
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Keep the cluster's data in this folder, so that the next start finds it again [default: a
    /// temporary folder]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let began = Instant::now();
    let mut plane = ControlPlane::start(args.dir.as_deref())?;
    let crds = plane.install_crds()?;
    say(&format!(
        "cluster ready in {}, {crds} CRDs installed. In another terminal:\n\n\
         \x20 export KUBECONFIG={admin}\n\
         \x20 kubectl apply -f examples/kubernetes\n\
         \x20 kubectl get secretstores,externalsecrets,secrets --all-namespaces\n\n\
         Run the operator under its own ServiceAccount, with the rights the chart gives it:\n\n\
         \x20 KUBECONFIG={operator} cargo run --profile quick --package lockstep\n\n\
         Logs are in {dir}. Ctrl-C ends the cluster.",
        seconds(began.elapsed()),
        admin = plane.admin_kubeconfig().display(),
        operator = plane.operator_kubeconfig().display(),
        dir = plane.dir().display(),
    ));
    loop {
        if let Some((name, status)) = plane.ended() {
            bail!(
                "{name} ended with {status}, see {}/{name}.log",
                plane.dir().display()
            );
        }
        sleep(Duration::from_millis(500));
    }
}
