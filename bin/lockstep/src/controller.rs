//! The controller process: flags become settings, edges are opened, controllers run until a signal.
//! Nothing that is missing in the cluster makes it exit; wrong flags do.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use lockstep_controllers::{Config, Edges};
use lockstep_plan::{CopiedMetadata, Delimiters, Randomness, RefreshNote, Salt, Settings};
use lockstep_provider_api::{Services, Shared};
use lockstep_runtime::client::{self, Rate};
use lockstep_runtime::clock::SystemTime;
use lockstep_runtime::dispatch::Concurrency;
use lockstep_runtime::health::Readiness;
use lockstep_runtime::lease::{self, Candidate};
use lockstep_runtime::lifeline::Lifeline;
use lockstep_runtime::log;
use lockstep_runtime::metrics::Metrics;
use lockstep_runtime::objects::ClusterObjects;
use lockstep_runtime::shutdown::Shutdown;
use lockstep_runtime::transport::{self, HttpTransports};

use tokio::sync::{Notify, watch};

use crate::flags::controller::ControllerFlags;
use crate::{endpoints, environment, version};

/// How long the process may take to end by itself after the lease was lost.
const LAST_MOMENT: Duration = Duration::from_millis(500);
/// How long providers may take to give back what they hold.
const GOODBYE: Duration = Duration::from_secs(3);
/// Requests above the rate when only a rate is given.
const DEFAULT_BURST: u32 = 100;
/// The rate when only a burst is given.
const DEFAULT_QPS: f32 = 50.0;

pub(crate) fn run(flags: ControllerFlags) -> anyhow::Result<ExitCode> {
    endpoints::check(&flags.metrics)?;
    log::init(flags.log.settings()?).context("start logging")?;
    block_on(serve_until_stopped(flags))
}

/// Runs a process of the cluster to its end.
pub(crate) fn block_on(
    work: impl Future<Output = anyhow::Result<ExitCode>>,
) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // Lookups of names, and threads that stand in for workers which compute.
        .max_blocking_threads(16)
        .enable_all()
        .build()
        .context("start the async runtime")?;
    let code = runtime.block_on(work)?;
    // Tasks that ignore the stop must not hold the process.
    runtime.shutdown_background();
    Ok(code)
}

async fn serve_until_stopped(flags: ControllerFlags) -> anyhow::Result<ExitCode> {
    let shutdown = Shutdown::on_signals().context("listen for signals")?;
    let lifeline = Lifeline::start().context("start the thread of lease and health")?;
    for flag in flags.unused.given() {
        tracing::info!(flag, "flag has no effect here");
    }
    let (metrics, readiness) = (Arc::new(Metrics::default()), Readiness::default());
    let client = client::connect(&client_settings(&flags), Arc::clone(&metrics)).await?;
    let told = (&metrics, &readiness);
    endpoints::health(&flags.live_addr, told, &lifeline, &shutdown).await?;
    endpoints::metrics(&flags.metrics, told, &client, &shutdown).await?;

    let services = Arc::new(Services {
        objects: Arc::new(ClusterObjects::new(client.clone())),
        transports: Arc::new(HttpTransports::new(transport::Settings {
            proxy: environment::proxy(),
            ..transport::Settings::default()
        })),
        time: Arc::new(SystemTime),
        calls: Arc::clone(&metrics) as _,
        ambient: true,
        variables: environment::provider_settings(),
        shared: Shared::default(),
    });
    let config = config(&flags)?;
    let edges = Edges {
        client,
        services,
        metrics: Arc::clone(&metrics),
        readiness,
    };
    version::announce("controller", &metrics);
    let shared = edges.services.shared.clone();
    if !flags.leader.enable_leader_election {
        lockstep_controllers::run(config, edges, shutdown).await;
        say_goodbye(&shared).await;
        return Ok(ExitCode::SUCCESS);
    }
    let code = lead(&flags, &lifeline, config, edges, shutdown).await?;
    if code == ExitCode::SUCCESS {
        say_goodbye(&shared).await;
    }
    Ok(code)
}

/// Lets providers give back what they hold, such as tokens. A backend that hangs must not hold the
/// process.
async fn say_goodbye(shared: &Shared) {
    drop(tokio::time::timeout(GOODBYE, shared.end()).await);
}

/// Runs the controllers while the lease is held. Losing it ends the process at once and without grace,
/// so that no write of an old leader comes late.
async fn lead(
    flags: &ControllerFlags,
    lifeline: &Lifeline,
    config: Config,
    edges: Edges,
    shutdown: Shutdown,
) -> anyhow::Result<ExitCode> {
    let default_namespace = edges.client.default_namespace().to_owned();
    let settings = lease::Settings {
        name: flags.leader.leader_election_id.clone(),
        namespace: client::own_namespace().unwrap_or(default_namespace),
        identity: lease::identity(&environment::hostname()),
        duration: flags.leader.leader_election_lease_duration,
        renew_deadline: flags.leader.leader_election_renew_deadline,
        retry_period: flags.leader.leader_election_retry_period,
    };
    let lost = Arc::new(Notify::new());
    let mut leads = seek(lifeline, flags, settings, &edges, (&lost, &shutdown)).await?;
    // What the wait gives locks the channel: kept, it would keep the loss from being told.
    let elected = async { drop(leads.wait_for(|leads| *leads).await) };
    let work = async {
        tokio::select! {
            () = elected => {
                lockstep_controllers::run(config, edges, shutdown).await;
            }
            () = shutdown.requested() => {}
        }
    };
    tokio::select! {
        biased;
        () = lost.notified() => Ok(ExitCode::FAILURE),
        () = work => Ok(ExitCode::SUCCESS),
    }
}

/// Runs for the lease on the lifeline, over a connection that nobody else uses: neither busy workers
/// nor a full connection may delay a renewal.
#[expect(
    clippy::exit,
    reason = "a lost lease ends the process whatever the main thread does"
)]
async fn seek(
    lifeline: &Lifeline,
    flags: &ControllerFlags,
    settings: lease::Settings,
    edges: &Edges,
    (lost, shutdown): (&Arc<Notify>, &Shutdown),
) -> anyhow::Result<watch::Receiver<bool>> {
    let of_client = client::Settings {
        rate: None,
        ..client_settings(flags)
    };
    let (note, shutdown) = (Arc::clone(lost), shutdown.clone());
    let (time, metrics) = (Arc::clone(&edges.services.time), Arc::clone(&edges.metrics));
    let component = edges.readiness.register("lease");
    let begun = lifeline.run(async move {
        let client = client::connect(&of_client, Arc::clone(&metrics)).await?;
        let candidate = Candidate::new(settings, client, time, metrics, component)?;
        anyhow::Ok(lease::spawn(candidate, shutdown, move |_| {
            note.notify_one();
            // The main thread may be busy, and no write of an old leader may come late.
            std::thread::sleep(LAST_MOMENT);
            std::process::exit(1);
        }))
    });
    begun.await.context("leader election did not start")?
}

fn client_settings(flags: &ControllerFlags) -> client::Settings {
    let rate = match (flags.client_qps, flags.client_burst) {
        (None, None) => None,
        // Below zero means no limit in the original's client.
        (Some(qps), _) if qps < 0.0 => None,
        (qps, burst) => Some(Rate {
            per_second: qps.unwrap_or(DEFAULT_QPS).into(),
            burst: burst
                .and_then(|burst| u32::try_from(burst).ok())
                .unwrap_or(DEFAULT_BURST),
        }),
    };
    client::Settings {
        rate,
        proxy: environment::proxy(),
        ..client::Settings::default()
    }
}

fn config(flags: &ControllerFlags) -> anyhow::Result<Config> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).context("random bytes from the system")?;
    let settings = Settings {
        class: flags.scope.controller_class.clone(),
        flood_gate: flags.enable_flood_gate,
        cluster_stores: flags.scope.enable_cluster_store_reconciler,
        secret_stores: flags.scope.enable_secret_store_reconciler,
        generic_targets: flags.unsafe_allow_generic_targets,
        push_secrets: flags.scope.enable_push_secret_reconciler,
        generator_states: flags.enable_generator_state,
        generator_grace: flags.generator_gc_grace_period,
        store_requeue: flags.store_requeue_interval,
        refresh_note: if flags.write_every_refresh {
            RefreshNote::EveryRefresh
        } else {
            RefreshNote::Spread
        },
        copied_metadata: if flags.drop_gitops_metadata {
            CopiedMetadata::WithoutBookkeeping
        } else {
            CopiedMetadata::All
        },
        delimiters: Delimiters {
            left: flags.template_left_delimiter.clone(),
            right: flags.template_right_delimiter.clone(),
        },
        template_limits: flags.template.limits(),
        random: Randomness::from_fn(|bytes| {
            getrandom::fill(bytes).map_err(|error| error.to_string())
        }),
        salt: Salt::new(random),
        ..Settings::default()
    };
    Ok(Config {
        settings,
        namespace: Some(flags.scope.namespace.clone()).filter(|name| !name.is_empty()),
        // They fill many namespaces, so an operator that is bound to one leaves them alone.
        cluster_external_secrets: flags.scope.enable_cluster_external_secret_reconciler
            && flags.scope.namespace.is_empty(),
        cluster_push_secrets: flags.scope.enable_cluster_push_secret_reconciler
            && flags.scope.namespace.is_empty(),
        concurrency: Concurrency::from_flag(flags.concurrent.try_into().unwrap_or(0)),
        deletion_guard: flags.deletion_guard == "on",
        probe_versions: flags.probe_versions,
        extended_labels: flags.enable_extended_metric_labels,
    })
}

#[cfg(test)]
mod tests;
