//! The certificate controller process, for installations that switch it on.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use lockstep_runtime::client;
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::health::Readiness;
use lockstep_runtime::lifeline::Lifeline;
use lockstep_runtime::log;
use lockstep_runtime::metrics::Metrics;
use lockstep_runtime::shutdown::Shutdown;
use lockstep_webhook::certificate_secret::CertificateSecret;
use lockstep_webhook::controller::CertController;
use lockstep_webhook::injector::Address;
use tokio::sync::watch;

use crate::flags::webhook::CertControllerFlags;
use crate::{controller, endpoints, leadership, version};

/// How long before its end a certificate is renewed.
const AHEAD: Duration = Duration::from_hours(90 * 24);
const LEASE: &str = "crd-certs-controller";

pub(crate) fn run(flags: CertControllerFlags) -> anyhow::Result<ExitCode> {
    log::init(flags.log.settings()?).context("start logging")?;
    controller::block_on(serve_until_stopped(flags))
}

async fn serve_until_stopped(flags: CertControllerFlags) -> anyhow::Result<ExitCode> {
    let shutdown = Shutdown::on_signals().context("listen for signals")?;
    let lifeline = Lifeline::start().context("start the thread of the health endpoint")?;
    let unused = [
        ("--enable-partial-cache", flags.enable_partial_cache),
        ("--enable-http2", flags.enable_http2),
    ];
    for (flag, _) in unused.iter().filter(|(_, value)| value.is_some()) {
        tracing::info!(flag, "flag has no effect here");
    }
    let (metrics, readiness) = (Arc::new(Metrics::default()), Readiness::default());
    let client = client::connect(&client::Settings::default(), Arc::clone(&metrics)).await?;
    let told = (&metrics, &readiness);
    endpoints::health(&flags.healthz_addr, told, &lifeline, &shutdown).await?;
    endpoints::metrics(&flags.metrics, told, &client, &shutdown).await?;
    version::announce("certcontroller", &metrics);
    let mut leads = None;
    if flags.enable_leader_election {
        let namespace = &flags.secret_namespace;
        let mut lease = leadership::seek(&client, namespace, LEASE, &metrics, &shutdown);
        tokio::select! {
            () = shutdown.requested() => return Ok(ExitCode::SUCCESS),
            _ = lease.wait_for(|leads| *leads) => {}
        }
        leads = Some(lease);
    }
    let work = work(&flags, client, &readiness);
    tokio::select! {
        () = shutdown.requested() => Ok(ExitCode::SUCCESS),
        () = work.run() => Ok(ExitCode::SUCCESS),
        // No write of an old leader may come late.
        () = lost(leads) => Ok(ExitCode::FAILURE),
    }
}

/// Completes when a lease that was held is lost; never without one.
async fn lost(leads: Option<watch::Receiver<bool>>) {
    match leads {
        Some(mut leads) => drop(leads.wait_for(|leads| !*leads).await),
        None => std::future::pending().await,
    }
}

fn work(
    flags: &CertControllerFlags,
    client: kube::Client,
    readiness: &Readiness,
) -> CertController {
    let at = Address {
        service: flags.service_name.clone(),
        namespace: flags.service_namespace.clone(),
    };
    let secret = (flags.secret_namespace.as_str(), flags.secret_name.as_str());
    let name = format!("{}.{}.svc", at.service, at.namespace);
    CertController {
        secret: CertificateSecret::new(client.clone(), secret, name, AHEAD, Arc::new(SystemTime)),
        client,
        at,
        crds: flags.crd_names.clone(),
        interval: flags.crd_requeue_interval,
        webhooks: readiness.register("validation-webhook-inject"),
        definitions: readiness.register("crd-inject"),
    }
}
