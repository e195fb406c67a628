//! Workload identity of GKE as an identity of a store.

use lockstep_provider_api::prelude::*;
use lockstep_provider_api::token_cache::Fingerprint;
use lockstep_provider_kit::cloud::google::workload_identity::{Binding, Cluster};

use super::{Identity, Source, namespace_of};
use crate::spec::WorkloadIdentity;

/// The identity of a ServiceAccount of this cluster.
pub(super) async fn identity(spec: &WorkloadIdentity, ctx: &Ctx) -> Result<Identity> {
    let account = &spec.service_account_ref;
    let cluster = Cluster {
        project: spec.cluster_project_id.as_deref(),
        location: spec.cluster_location.as_deref(),
        name: spec.cluster_name.as_deref(),
    };
    let binding = Binding::read(account, cluster, ctx).await?;
    let namespace = namespace_of(account.namespace.as_deref(), ctx)?;
    let who = binding.who(&namespace);
    let parts = ["gcp workload", &namespace].into_iter();
    let fingerprint = Fingerprint::of(parts.chain(binding.parts()));
    let source = Source::Workload(Box::new(binding));
    Ok(Identity::new(who, fingerprint, source, ctx))
}
