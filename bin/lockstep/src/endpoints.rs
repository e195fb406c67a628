//! The endpoints every process in a cluster has: health and metrics. An address of `0` switches one
//! off.

use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;
use lockstep_runtime::authorize::ClusterAuthorize;
use lockstep_runtime::background::Background;
use lockstep_runtime::health::Readiness;
use lockstep_runtime::lifeline::Lifeline;
use lockstep_runtime::metrics::Metrics;
use lockstep_runtime::serve::{self, Authorize, Certificates, Server};
use lockstep_runtime::shutdown::Shutdown;

use crate::flags::controller::MetricsFlags;

/// Serves `/healthz` and `/readyz` on the lifeline, so that no load of the workers delays an answer.
pub(crate) async fn health(
    address: &str,
    (metrics, readiness): (&Arc<Metrics>, &Readiness),
    lifeline: &Lifeline,
    shutdown: &Shutdown,
) -> anyhow::Result<()> {
    if address == "0" {
        return Ok(());
    }
    let background = Background::new(Arc::clone(metrics), readiness.clone());
    let (address, readiness) = (address.to_owned(), readiness.clone());
    let shutdown = shutdown.clone();
    let started = lifeline.run(async move {
        let server = Server::bind(&address).await?;
        server.spawn("health", serve::health(readiness), (&background, shutdown));
        anyhow::Ok(())
    });
    started
        .await
        .unwrap_or_else(|| Err(anyhow!("the health endpoint did not start")))
}

/// Serves `/metrics`.
pub(crate) async fn metrics(
    flags: &MetricsFlags,
    (metrics, readiness): (&Arc<Metrics>, &Readiness),
    client: &kube::Client,
    shutdown: &Shutdown,
) -> anyhow::Result<()> {
    check(flags)?;
    if flags.metrics_addr == "0" {
        return Ok(());
    }
    let mut server = Server::bind(&flags.metrics_addr).await?;
    if flags.metrics_secure {
        server = server
            .secured(certificates(flags)?)
            .map_err(|error| anyhow!(error))?;
    }
    let authorize = flags
        .metrics_auth
        .then(|| Arc::new(ClusterAuthorize::new(client.clone())) as Arc<dyn Authorize>);
    let handler = serve::metrics(Arc::clone(metrics), authorize);
    let background = Background::new(Arc::clone(metrics), readiness.clone());
    server.spawn("metrics", handler, (&background, shutdown.clone()));
    Ok(())
}

/// Refuses flags that contradict each other.
pub(crate) fn check(flags: &MetricsFlags) -> anyhow::Result<()> {
    if flags.metrics_auth && !flags.metrics_secure {
        return Err(crate::usage::wrong(
            "--metrics-auth needs --metrics-secure: tokens must not travel in the clear",
        ));
    }
    Ok(())
}

fn certificates(flags: &MetricsFlags) -> anyhow::Result<Certificates> {
    let made = if flags.metrics_cert_dir.is_empty() {
        Certificates::self_signed()
    } else {
        let dir = Path::new(&flags.metrics_cert_dir);
        Certificates::from_dir(dir, &flags.metrics_cert_name, &flags.metrics_key_name)
    };
    made.map_err(|error| anyhow!("certificate of the metrics endpoint: {error}"))
}
