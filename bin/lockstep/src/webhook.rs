//! The webhook process: answers admission reviews as soon as there is a certificate to serve. Nothing
//! that is missing in the cluster makes it exit; wrong flags do.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use lockstep_runtime::background::Background;
use lockstep_runtime::client;
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::health::Readiness;
use lockstep_runtime::lifeline::Lifeline;
use lockstep_runtime::log;
use lockstep_runtime::metrics::Metrics;
use lockstep_runtime::serve::Server;
use lockstep_runtime::shutdown::Shutdown;
use lockstep_webhook::certificate_secret::CertificateSecret;
use lockstep_webhook::certificate_source::{CertificateSource, SharedCertificate};
use lockstep_webhook::files::Folder;
use lockstep_webhook::server::{self, Reviews};
use lockstep_webhook::tls::{self, Shown};

use crate::flags::webhook::WebhookFlags;
use crate::usage::wrong;
use crate::{controller, endpoints, leadership, version};

pub(crate) fn run(flags: WebhookFlags) -> anyhow::Result<ExitCode> {
    log::init(flags.log.settings()?).context("start logging")?;
    controller::block_on(serve_until_stopped(flags))
}

async fn serve_until_stopped(flags: WebhookFlags) -> anyhow::Result<ExitCode> {
    let shutdown = Shutdown::on_signals().context("listen for signals")?;
    let lifeline = Lifeline::start().context("start the thread of the health endpoint")?;
    if flags.enable_http2.is_some() {
        tracing::info!(flag = "--enable-http2", "flag has no effect here");
    }
    let shown = Shown::default();
    let tls = tls::config(&shown, &flags.tls_min_version, &flags.tls_ciphers).map_err(wrong)?;
    let (metrics, readiness) = (Arc::new(Metrics::default()), Readiness::default());
    let reviews = Arc::new(Reviews::default());
    metrics.add_rows(Arc::clone(&reviews) as _);
    let client = client::connect(&client::Settings::default(), Arc::clone(&metrics)).await?;
    let source = CertificateSource {
        folder: Folder::new(&flags.cert_dir, &flags.dns_name),
        shared: shared(&flags, &client, &metrics, &shutdown),
        shown,
        component: readiness.register("certs"),
        ahead: flags.lookahead_interval,
        interval: flags.check_interval,
        time: Arc::new(SystemTime),
    };
    let told = (&metrics, &readiness);
    endpoints::health(&flags.healthz_addr, told, &lifeline, &shutdown).await?;
    endpoints::metrics(&flags.metrics, told, &client, &shutdown).await?;
    version::announce("webhook", &metrics);
    tokio::select! {
        () = shutdown.requested() => return Ok(ExitCode::SUCCESS),
        () = source.first() => {}
    }
    let server = Server::bind(&format!(":{}", flags.port))
        .await?
        .with_tls(tls);
    let background = Background::new(Arc::clone(&metrics), readiness.clone());
    let handler = server::handler(reviews);
    server.spawn("webhook", handler, (&background, shutdown.clone()));
    tokio::select! {
        () = shutdown.requested() => {}
        () = source.go_on() => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// The certificate that replicas share, where a Secret is named for it.
fn shared(
    flags: &WebhookFlags,
    client: &kube::Client,
    metrics: &Arc<Metrics>,
    shutdown: &Shutdown,
) -> Option<SharedCertificate> {
    if flags.secret_name.is_empty() {
        return None;
    }
    let (namespace, secret) = (&flags.secret_namespace, &flags.secret_name);
    Some(SharedCertificate {
        secret: CertificateSecret::new(
            client.clone(),
            (namespace, secret),
            &flags.dns_name,
            flags.lookahead_interval,
            Arc::new(SystemTime),
        ),
        client: client.clone(),
        name: flags.dns_name.clone(),
        leads: leadership::seek(
            client,
            namespace,
            &format!("{secret}-certs"),
            metrics,
            shutdown,
        ),
    })
}
