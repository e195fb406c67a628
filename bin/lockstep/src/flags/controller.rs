//! Flags of the controller. Names, defaults and meanings are the original operator's; those that have
//! no effect here are in a file of their own. Nothing below the binary knows these types.

use std::time::Duration;

use clap::{ArgAction, Args};

use crate::flags::unused::UnusedFlags;
use crate::values::{SWITCH, boolean, duration};
use lockstep_local::TemplateFlags;

/// Flags of `lockstep` without a subcommand.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one switch of the command line"
)]
pub(crate) struct ControllerFlags {
    #[command(flatten)]
    pub(crate) metrics: MetricsFlags,
    #[command(flatten)]
    pub(crate) log: LogFlags,
    #[command(flatten)]
    pub(crate) leader: LeaderFlags,
    #[command(flatten)]
    pub(crate) scope: ScopeFlags,
    #[command(flatten)]
    pub(crate) template: TemplateFlags,
    #[command(flatten)]
    pub(crate) unused: UnusedFlags,

    /// Address of the health endpoints /healthz and /readyz.
    #[arg(long, default_value = ":8082", value_name = "ADDR")]
    pub(crate) live_addr: String,

    /// Label per-object metrics with the object's app.kubernetes.io labels.
    #[arg(long, default_value = "false", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_extended_metric_labels: bool,

    /// Number of objects reconciled at once; 0 and 1 choose automatically, more is an upper bound.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) concurrent: i32,

    /// Requests a second to the API server; no limit unless given.
    #[arg(long, value_name = "QPS")]
    pub(crate) client_qps: Option<f32>,

    /// Requests to the API server above the rate in a burst; no limit unless given.
    #[arg(long, value_name = "N")]
    pub(crate) client_burst: Option<i32>,

    /// Time between two checks of a store that sets no refreshInterval.
    #[arg(long, default_value = "5m", value_parser = duration, value_name = "DURATION")]
    pub(crate) store_requeue_interval: Duration,

    /// Take back credentials that generators made for ExternalSecrets.
    #[arg(long, default_value = "true", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_generator_state: bool,

    /// Time a replaced credential stays valid before it is taken back.
    #[arg(long, default_value = "2m", value_parser = duration, value_name = "DURATION")]
    pub(crate) generator_gc_grace_period: Duration,

    /// Do not read through a store that is not ready.
    #[arg(long, default_value = "true", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_flood_gate: bool,

    /// Write objects other than Secrets where target.manifest asks for it.
    #[arg(long, default_value = "false", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) unsafe_allow_generic_targets: bool,

    /// Hold deletions when many secrets of a store vanish at once: on or off.
    #[arg(long, default_value = "on", value_parser = ["on", "off"], value_name = "on|off")]
    pub(crate) deletion_guard: String,

    /// Ask for the version of a secret before its value, where a refresh reads a single value and the
    /// provider knows versions (AWS Secrets Manager, Google Secret Manager).
    #[arg(long, default_value = "false", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) probe_versions: bool,

    /// Opening delimiter of templates.
    #[arg(long, default_value = "{{", value_name = "TEXT")]
    pub(crate) template_left_delimiter: String,

    /// Closing delimiter of templates.
    #[arg(long, default_value = "}}", value_name = "TEXT")]
    pub(crate) template_right_delimiter: String,

    /// Do not copy labels and annotations in which kubectl and GitOps tools store their own state.
    #[arg(long, default_value = "false", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) drop_gitops_metadata: bool,

    /// Write status.refreshTime at every refresh, also when nothing changed.
    #[arg(long, default_value = "false", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) write_every_refresh: bool,
}

/// Where metrics are served.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_field_names,
    reason = "fields are named after their flags"
)]
pub(crate) struct MetricsFlags {
    /// Address of /metrics; 0 switches it off.
    #[arg(long, default_value = ":8080", value_name = "ADDR")]
    pub(crate) metrics_addr: String,
    /// Ask for a token that may read /metrics (needs --metrics-secure).
    #[arg(long, default_value = "false", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) metrics_auth: bool,
    /// Serve metrics over HTTPS.
    #[arg(long, default_value = "false", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) metrics_secure: bool,
    /// Folder of the metrics certificate.
    #[arg(long, default_value = "", value_name = "DIR")]
    pub(crate) metrics_cert_dir: String,
    /// File name of the metrics certificate.
    #[arg(long, default_value = "tls.crt", value_name = "FILE")]
    pub(crate) metrics_cert_name: String,
    /// File name of the metrics key.
    #[arg(long, default_value = "tls.key", value_name = "FILE")]
    pub(crate) metrics_key_name: String,
}

/// How logs look.
#[derive(Debug, Args)]
pub(crate) struct LogFlags {
    /// Lowest level that is logged: debug, info, warn, error, dpanic, panic or fatal.
    #[arg(long, default_value = "info", value_name = "LEVEL")]
    pub(crate) loglevel: String,
    /// Format of times: epoch, millis, nano, iso8601, rfc3339 or rfc3339nano.
    #[arg(long, default_value = "epoch", value_name = "ENCODING")]
    pub(crate) zap_time_encoding: String,
}

/// Which of several replicas reconciles.
#[derive(Debug, Args)]
pub(crate) struct LeaderFlags {
    /// Reconcile only while holding the lease.
    #[arg(long, default_value = "false", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_leader_election: bool,
    /// Name of the lease.
    #[arg(
        long,
        default_value = "external-secrets-controller",
        value_name = "NAME"
    )]
    pub(crate) leader_election_id: String,
    /// Time after which others take a lease that is not renewed.
    #[arg(long, default_value = "15s", value_parser = duration, value_name = "DURATION")]
    pub(crate) leader_election_lease_duration: Duration,
    /// Time for which the holder tries to renew the lease before it gives up.
    #[arg(long, default_value = "10s", value_parser = duration, value_name = "DURATION")]
    pub(crate) leader_election_renew_deadline: Duration,
    /// Time between two tries.
    #[arg(long, default_value = "2s", value_parser = duration, value_name = "DURATION")]
    pub(crate) leader_election_retry_period: Duration,
}

/// What is reconciled.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one switch of the command line"
)]
pub(crate) struct ScopeFlags {
    /// Reconcile stores of this class and stores without a class.
    #[arg(long, default_value = "default", value_name = "CLASS")]
    pub(crate) controller_class: String,
    /// Reconcile objects of this namespace only.
    #[arg(long, default_value = "", value_name = "NAMESPACE")]
    pub(crate) namespace: String,
    /// Reconcile ClusterSecretStores.
    #[arg(long, default_value = "true", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_cluster_store_reconciler: bool,
    /// Reconcile SecretStores.
    #[arg(long, default_value = "true", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_secret_store_reconciler: bool,
    /// Reconcile ClusterExternalSecrets.
    #[arg(long, default_value = "true", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_cluster_external_secret_reconciler: bool,
    /// Reconcile ClusterPushSecrets, where PushSecrets are reconciled.
    #[arg(long, default_value = "true", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_cluster_push_secret_reconciler: bool,
    /// Reconcile PushSecrets.
    #[arg(long, default_value = "true", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_push_secret_reconciler: bool,
}

#[cfg(feature = "cluster")]
impl LogFlags {
    /// The settings these flags mean; an unknown level is an error, as it always was.
    pub(crate) fn settings(&self) -> anyhow::Result<lockstep_runtime::log::Settings> {
        use lockstep_runtime::log::{Format, Settings};
        let level = self
            .loglevel
            .parse()
            .map_err(|error| crate::usage::wrong(format!("--loglevel: {error}")))?;
        let Ok(times) = self.zap_time_encoding.parse();
        Ok(Settings {
            level,
            format: Format::Json,
            times,
        })
    }
}

#[cfg(feature = "cluster")]
#[cfg(test)]
mod tests;
