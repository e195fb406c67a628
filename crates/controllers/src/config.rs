//! What the controllers are started with. Parsed from flags by the binary.

use lockstep_plan::Settings;
use lockstep_runtime::dispatch::Concurrency;

/// Settings of the controllers.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each switch is one independent flag of the command line"
)]
pub struct Config {
    /// What decisions depend on.
    pub settings: Settings,
    /// Only this namespace, where one is given.
    pub namespace: Option<String>,
    /// Whether ClusterExternalSecrets are reconciled.
    pub cluster_external_secrets: bool,
    /// Whether ClusterPushSecrets are reconciled; only where PushSecrets are.
    pub cluster_push_secrets: bool,
    /// Objects worked on at once, for each controller.
    pub concurrency: Concurrency,
    /// Whether deletions stop when too much of a store vanishes at once.
    pub deletion_guard: bool,
    /// Whether a refresh that goes out alone looks at the version of a secret before its value.
    pub probe_versions: bool,
    /// Whether per-object series carry the object's app.kubernetes.io labels.
    pub extended_labels: bool,
}
