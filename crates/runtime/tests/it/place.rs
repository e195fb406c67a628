//! The cluster as the tests of this crate see it: our own client over its kubeconfigs.

use std::path::PathBuf;
use std::sync::Arc;

use kube::Client;
use lockstep_runtime::client::{Settings, connect};
use lockstep_runtime::metrics::Metrics;
use lockstep_testkit::client::TestCluster;

/// Who speaks to the server.
#[derive(Clone, Copy)]
pub(crate) enum User {
    /// May do everything.
    Admin,
    /// The operator with upstream's rights.
    Operator,
}

/// Our client for a user of the test cluster.
pub(crate) async fn client(cluster: &TestCluster, user: User) -> Client {
    client_with(cluster, user, Arc::default()).await
}

/// Our client, counting into `metrics`.
pub(crate) async fn client_with(
    cluster: &TestCluster,
    user: User,
    metrics: Arc<Metrics>,
) -> Client {
    let kubeconfig = match user {
        User::Admin => cluster.cluster.admin_kubeconfig(),
        User::Operator => cluster.cluster.operator_kubeconfig(),
    };
    from(kubeconfig, metrics).await
}

async fn from(kubeconfig: PathBuf, metrics: Arc<Metrics>) -> Client {
    let settings = Settings {
        kubeconfig: Some(kubeconfig),
        ..Settings::default()
    };
    connect(&settings, metrics).await.unwrap()
}
