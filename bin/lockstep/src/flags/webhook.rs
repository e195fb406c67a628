//! Flags of `lockstep webhook` and `lockstep certcontroller`: the original operator's, and those by
//! which the webhook looks after its certificate itself.

use std::time::Duration;

use clap::{ArgAction, Args};

use super::controller::{LogFlags, MetricsFlags};
use crate::flags::unused::WITHOUT_EFFECT;
use crate::values::{SWITCH, boolean, duration};

/// Flags of `lockstep webhook`.
#[derive(Debug, Args)]
pub(crate) struct WebhookFlags {
    #[command(flatten)]
    pub(crate) metrics: MetricsFlags,
    #[command(flatten)]
    pub(crate) log: LogFlags,

    /// Address of the health endpoints /healthz and /readyz.
    #[arg(long, default_value = ":8081", value_name = "ADDR")]
    pub(crate) healthz_addr: String,
    /// Port of the admission reviews.
    #[arg(long, default_value_t = 10250, value_name = "PORT")]
    pub(crate) port: u16,
    /// Name that the certificate is for: service.namespace.svc.
    #[arg(long, default_value = "localhost", value_name = "NAME")]
    pub(crate) dns_name: String,
    /// Folder that may hold tls.crt, tls.key and ca.crt; a good pair there is served as it is.
    #[arg(
        long,
        default_value = "/tmp/k8s-webhook-server/serving-certs",
        value_name = "DIR"
    )]
    pub(crate) cert_dir: String,
    /// Longest time between two looks at the certificate.
    #[arg(long, default_value = "5m", value_parser = duration, value_name = "DURATION")]
    pub(crate) check_interval: Duration,
    /// How long before its end a certificate is renewed or complained about.
    #[arg(long, default_value = "2160h", value_parser = duration, value_name = "DURATION")]
    pub(crate) lookahead_interval: Duration,
    /// Cipher suites of TLS 1.2 by Go's names, separated by commas; all when empty.
    #[arg(long, default_value = "", value_name = "NAMES")]
    pub(crate) tls_ciphers: String,
    /// Least version of TLS: 1.2 or 1.3; older ones mean 1.2.
    #[arg(long, default_value = "1.2", value_name = "VERSION")]
    pub(crate) tls_min_version: String,
    /// No effect: reviews are served over HTTP/1.1.
    #[arg(long, hide_short_help = true, help_heading = WITHOUT_EFFECT, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_http2: Option<bool>,
    /// Secret in which all replicas share a certificate that they make and renew themselves; without
    /// it only --cert-dir counts.
    #[arg(long, default_value = "", value_name = "NAME")]
    pub(crate) secret_name: String,
    /// Namespace of that Secret.
    #[arg(long, default_value = "default", value_name = "NAMESPACE")]
    pub(crate) secret_namespace: String,
}

/// Flags of `lockstep certcontroller`.
#[derive(Debug, Args)]
pub(crate) struct CertControllerFlags {
    #[command(flatten)]
    pub(crate) metrics: MetricsFlags,
    #[command(flatten)]
    pub(crate) log: LogFlags,

    /// Address of the health endpoints /healthz and /readyz.
    #[arg(long, default_value = ":8081", value_name = "ADDR")]
    pub(crate) healthz_addr: String,
    /// Service of the webhook.
    #[arg(long, default_value = "external-secrets-webhook", value_name = "NAME")]
    pub(crate) service_name: String,
    /// Namespace of that Service.
    #[arg(long, default_value = "default", value_name = "NAMESPACE")]
    pub(crate) service_namespace: String,
    /// Secret that holds the certificate.
    #[arg(long, default_value = "external-secrets-webhook", value_name = "NAME")]
    pub(crate) secret_name: String,
    /// Namespace of that Secret.
    #[arg(long, default_value = "default", value_name = "NAMESPACE")]
    pub(crate) secret_namespace: String,
    /// CRDs that may convert by webhook.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "externalsecrets.external-secrets.io,clustersecretstores.external-secrets.io,secretstores.external-secrets.io",
        value_name = "NAMES"
    )]
    pub(crate) crd_names: Vec<String>,
    /// Work only while holding the lease.
    #[arg(long, default_value = "false", action = ArgAction::Set, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_leader_election: bool,
    /// Time between two looks.
    #[arg(long, default_value = "5m", value_parser = duration, value_name = "DURATION")]
    pub(crate) crd_requeue_interval: Duration,
    /// No effect: nothing is cached.
    #[arg(long, hide_short_help = true, help_heading = WITHOUT_EFFECT, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_partial_cache: Option<bool>,
    /// No effect: metrics are served over HTTP/1.1.
    #[arg(long, hide_short_help = true, help_heading = WITHOUT_EFFECT, value_parser = boolean, value_name = SWITCH)]
    pub(crate) enable_http2: Option<bool>,
}
