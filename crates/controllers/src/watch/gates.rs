//! Which lists each kind waits for before its first reconcile: what is not listed yet would look like
//! something that is missing.

use lockstep_runtime::shutdown::Shutdown;

use super::gate::{self, Gate};

/// Gates of the watches.
#[derive(Default)]
pub(crate) struct Gates {
    pub(super) external_secrets: Gate,
    pub(super) push_secrets: Gate,
    pub(super) targets: Gate,
    pub(super) secret_stores: Gate,
    pub(super) cluster_stores: Gate,
    pub(super) namespaces: Gate,
    pub(super) cluster_external_secrets: Gate,
    pub(super) cluster_push_secrets: Gate,
    pub(super) cluster_scope: bool,
}

impl Gates {
    /// Whether ExternalSecrets may run; `false` when a stop comes first, here and below.
    pub(crate) async fn external_secrets(&self, shutdown: &Shutdown) -> bool {
        let required = [&self.external_secrets, &self.targets, &self.secret_stores];
        opened(&required, &self.cluster_wide(), shutdown).await
    }

    /// Whether PushSecrets may run.
    pub(crate) async fn push_secrets(&self, shutdown: &Shutdown) -> bool {
        let required = [&self.push_secrets, &self.secret_stores];
        opened(&required, &self.cluster_wide(), shutdown).await
    }

    /// Whether ClusterExternalSecrets may run.
    pub(crate) async fn cluster_external_secrets(&self, shutdown: &Shutdown) -> bool {
        let required = [
            &self.cluster_external_secrets,
            &self.external_secrets,
            &self.namespaces,
        ];
        opened(&required, &[], shutdown).await
    }

    /// Whether ClusterPushSecrets may run.
    pub(crate) async fn cluster_push_secrets(&self, shutdown: &Shutdown) -> bool {
        let required = [
            &self.cluster_push_secrets,
            &self.push_secrets,
            &self.namespaces,
        ];
        opened(&required, &[], shutdown).await
    }

    /// Lists that an install bound to one namespace may never get.
    fn cluster_wide(&self) -> Vec<&Gate> {
        if self.cluster_scope {
            vec![&self.cluster_stores, &self.namespaces]
        } else {
            Vec::new()
        }
    }
}

async fn opened(required: &[&Gate], optional: &[&Gate], shutdown: &Shutdown) -> bool {
    tokio::select! {
        () = gate::all(required, optional) => true,
        () = shutdown.requested() => false,
    }
}
