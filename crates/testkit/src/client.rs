//! Helpers for tests written with kube: clients for both users of the shared cluster, a namespace
//! per test, manifests and waiting. Only here does the crate know kube and tokio.

mod namespace;
mod wait;

use std::path::Path;

use anyhow::{Context, Result};
use kube::Client;
use kube::config::{Config, KubeConfigOptions, Kubeconfig};

use crate::controlplane::Cluster;

pub use namespace::TestNamespace;
pub use wait::{until, until_within};

/// The shared cluster as seen by one test.
pub struct TestCluster {
    /// May do everything.
    pub admin: Client,
    /// The operator's ServiceAccount with upstream's rights.
    pub operator: Client,
    /// Kubeconfigs, logs and the blocking client.
    pub cluster: &'static Cluster,
}

impl TestCluster {
    /// Connects to the shared cluster, which the first caller of a process may have to start.
    pub async fn connect() -> Result<Self> {
        let cluster = tokio::task::spawn_blocking(Cluster::shared).await??;
        Ok(Self {
            admin: client(&cluster.admin_kubeconfig()).await?,
            operator: client(&cluster.operator_kubeconfig()).await?,
            cluster,
        })
    }

    /// A fresh namespace with a name of its own, deleted when the value is dropped.
    pub async fn namespace(&self) -> Result<TestNamespace> {
        TestNamespace::create(self).await
    }
}

/// A client for a kubeconfig file.
pub async fn client(kubeconfig: &Path) -> Result<Client> {
    let read = Kubeconfig::read_from(kubeconfig)
        .with_context(|| format!("kubeconfig {}", kubeconfig.display()))?;
    let config = Config::from_custom_kubeconfig(read, &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}
