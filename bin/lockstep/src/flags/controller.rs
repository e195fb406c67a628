//! Flags of the controller. Names, defaults and meanings are the original operator's; the few that
//! have no effect here are accepted so that an existing Deployment starts, and named once in the
//! log. Nothing below the binary knows these types.

use std::time::Duration;

use clap::{ArgAction, Args};

use crate::flags::template::TemplateFlags;
use crate::values::{SWITCH, boolean, duration};

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

    /// Number of objects worked on at once; 0 or 1 chooses by itself, more is an upper bound.
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

    /// Refuse to read through a store that is not ready.
    #[arg(long, default_value = "true", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_flood_gate: bool,

    /// Write objects other than Secrets where target.manifest asks for it.
    #[arg(long, default_value = "false", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) unsafe_allow_generic_targets: bool,

    /// Keep generator state, so that superseded credentials are cleaned up.
    #[arg(long, default_value = "true", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_generator_state: bool,

    /// How long a superseded generated credential is kept.
    #[arg(long, default_value = "2m", value_parser = duration, value_name = "DURATION")]
    pub(crate) generator_gc_grace_period: Duration,

    /// Hold deletions when many secrets of a store vanish at once: on or off.
    #[arg(long, default_value = "on", value_parser = ["on", "off"], value_name = "on|off")]
    pub(crate) deletion_guard: String,

    /// Look at the version of a secret before its value, where a refresh reads one alone and the
    /// provider can tell versions (AWS Secrets Manager).
    #[arg(long, default_value = "false", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) probe_versions: bool,

    /// Opening delimiter of templates.
    #[arg(long, default_value = "{{", value_name = "TEXT")]
    pub(crate) template_left_delimiter: String,

    /// Closing delimiter of templates.
    #[arg(long, default_value = "}}", value_name = "TEXT")]
    pub(crate) template_right_delimiter: String,

    /// Do not copy labels and annotations that kubectl and GitOps tools keep their books in.
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
    /// Least level that is logged: debug, info, warn, error, dpanic, panic or fatal.
    #[arg(long, default_value = "info", value_name = "LEVEL")]
    pub(crate) loglevel: String,
    /// How times are written: epoch, millis, nano, iso8601, rfc3339 or rfc3339nano.
    #[arg(long, default_value = "epoch", value_name = "ENCODING")]
    pub(crate) zap_time_encoding: String,
}

/// Which of several replicas works.
#[derive(Debug, Args)]
pub(crate) struct LeaderFlags {
    /// Work only while holding the lease.
    #[arg(long, default_value = "false", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_leader_election: bool,
    /// Name of the lease.
    #[arg(
        long,
        default_value = "external-secrets-controller",
        value_name = "NAME"
    )]
    pub(crate) leader_election_id: String,
    /// How long others wait before they take a lease that is not renewed.
    #[arg(long, default_value = "15s", value_parser = duration, value_name = "DURATION")]
    pub(crate) leader_election_lease_duration: Duration,
    /// How long the holder tries to renew before it gives up.
    #[arg(long, default_value = "10s", value_parser = duration, value_name = "DURATION")]
    pub(crate) leader_election_renew_deadline: Duration,
    /// Time between two tries.
    #[arg(long, default_value = "2s", value_parser = duration, value_name = "DURATION")]
    pub(crate) leader_election_retry_period: Duration,
}

/// What is looked after.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one switch of the command line"
)]
pub(crate) struct ScopeFlags {
    /// Look after stores of this class and stores without a class.
    #[arg(long, default_value = "default", value_name = "CLASS")]
    pub(crate) controller_class: String,
    /// Look only at this namespace.
    #[arg(long, default_value = "", value_name = "NAMESPACE")]
    pub(crate) namespace: String,
    /// Look after ClusterSecretStores.
    #[arg(long, default_value = "true", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_cluster_store_reconciler: bool,
    /// Look after SecretStores.
    #[arg(long, default_value = "true", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_secret_store_reconciler: bool,
    /// Look after ClusterExternalSecrets.
    #[arg(long, default_value = "true", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_cluster_external_secret_reconciler: bool,
    /// Look after ClusterPushSecrets.
    #[arg(long, default_value = "true", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_cluster_push_secret_reconciler: bool,
    /// Look after PushSecrets.
    #[arg(long, default_value = "true", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_push_secret_reconciler: bool,
}

/// Flags of the original operator that have no effect here.
#[derive(Debug, Args)]
pub(crate) struct UnusedFlags {
    /// No effect: managed Secrets are mirrored without their values.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_secrets_caching: Option<bool>,
    /// No effect: ConfigMaps are read when they are needed.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_configmaps_caching: Option<bool>,
    /// No effect: managed Secrets are mirrored without their values.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_managed_secrets_caching: Option<bool>,
    /// No effect: there is one mirror, so there is no mismatch.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_secret_api_read_on_cache_mismatch: Option<bool>,
    /// No effect: the metrics server speaks HTTP/1.1.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_http2: Option<bool>,
    /// No effect: connections are cached with their tokens.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_vault_token_cache: Option<bool>,
    /// No effect: connections are cached with their tokens.
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub(crate) vault_token_cache_size: Option<i64>,
    /// No effect: connections are cached with their tokens.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    pub(crate) experimental_enable_vault_token_cache: Option<bool>,
    /// No effect: connections are cached with their tokens.
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub(crate) experimental_vault_token_cache_size: Option<i64>,
    /// No effect: connections are cached with their tokens.
    #[arg(long, hide_short_help = true, value_parser = boolean, value_name = SWITCH)]
    pub(crate) experimental_enable_doppler_oidc_cache: Option<bool>,
    /// No effect: connections are cached with their tokens.
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub(crate) experimental_doppler_oidc_cache_size: Option<i64>,
    /// No effect: the doppler provider is not in this build.
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub(crate) doppler_etag_cache_size: Option<i64>,
    /// No effect: the nebiusmysterybox provider is not in this build.
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub(crate) mysterybox_tokens_cache_size: Option<i64>,
    /// No effect: the nebiusmysterybox provider is not in this build.
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub(crate) mysterybox_connections_cache_size: Option<i64>,
}

impl UnusedFlags {
    /// Names of the flags that were given and do nothing.
    #[cfg_attr(
        not(feature = "cluster"),
        expect(dead_code, reason = "only the controller tells of them")
    )]
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let flags = [
            (
                "--enable-secrets-caching",
                self.enable_secrets_caching.is_some(),
            ),
            (
                "--enable-configmaps-caching",
                self.enable_configmaps_caching.is_some(),
            ),
            (
                "--enable-managed-secrets-caching",
                self.enable_managed_secrets_caching.is_some(),
            ),
            (
                "--enable-secret-api-read-on-cache-mismatch",
                self.enable_secret_api_read_on_cache_mismatch.is_some(),
            ),
            ("--enable-http2", self.enable_http2.is_some()),
            (
                "--enable-vault-token-cache",
                self.enable_vault_token_cache.is_some(),
            ),
            (
                "--vault-token-cache-size",
                self.vault_token_cache_size.is_some(),
            ),
            (
                "--experimental-enable-vault-token-cache",
                self.experimental_enable_vault_token_cache.is_some(),
            ),
            (
                "--experimental-vault-token-cache-size",
                self.experimental_vault_token_cache_size.is_some(),
            ),
            (
                "--experimental-enable-doppler-oidc-cache",
                self.experimental_enable_doppler_oidc_cache.is_some(),
            ),
            (
                "--experimental-doppler-oidc-cache-size",
                self.experimental_doppler_oidc_cache_size.is_some(),
            ),
            (
                "--doppler-etag-cache-size",
                self.doppler_etag_cache_size.is_some(),
            ),
            (
                "--mysterybox-tokens-cache-size",
                self.mysterybox_tokens_cache_size.is_some(),
            ),
            (
                "--mysterybox-connections-cache-size",
                self.mysterybox_connections_cache_size.is_some(),
            ),
        ];
        flags
            .into_iter()
            .filter_map(|(name, given)| given.then_some(name))
            .collect()
    }
}

#[cfg(feature = "cluster")]
impl LogFlags {
    /// The settings these flags mean; an unknown level is an error, as it always was.
    pub(crate) fn settings(&self) -> anyhow::Result<lockstep_runtime::log::Settings> {
        use anyhow::anyhow;
        use lockstep_runtime::log::{Format, Settings};
        let level = self
            .loglevel
            .parse()
            .map_err(|error| anyhow!("--loglevel: {error}"))?;
        let Ok(times) = self.zap_time_encoding.parse();
        Ok(Settings {
            level,
            format: Format::Json,
            times,
        })
    }
}
