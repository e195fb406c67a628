//! `lockstep takeover`: lets Lockstep begin where the original ended. Checks that nothing stands in the way,
//! marks the CRDs as kept, starts the operator if asked to, and proves that no Secret moved. Writes no
//! Secret, and may be repeated after an interruption.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use kube::Client;
use lockstep_preview::start::{now, survey};
use lockstep_preview::{Edges, OperatorFlags};
use lockstep_toolbox::cluster::{Cluster, ClusterFlags, block_on};
use lockstep_toolbox::console;
use lockstep_toolbox::exit::Failure;
use lockstep_toolbox::output::{OutputFlags, Screen};

use crate::baseline::Baseline;
use crate::checks::{self, Check};
use crate::operators::Running;
use crate::patience::Rollout;
use crate::report::Report;
use crate::{crds, inventory, operators, patience};

/// Take over from the original operator without writing a Secret.
///
/// Checks first that the original is scaled down and holds no lease, that every provider and generator in use
/// is in this build, and, by the operator's own reconcile over a world that is only read, that a start writes
/// no Secret. Then it notes the resourceVersion of every managed Secret in a file, marks the CRDs as kept, and
/// with --start scales Lockstep up and proves that no Secret moved. Without --start, start the operator
/// yourself and run it again with --verify.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lockstep takeover --check                                  # looks, and changes nothing
  lockstep takeover --start external-secrets/external-secrets
  lockstep takeover && helm upgrade … && lockstep takeover --verify lockstep-baseline.json

Exit codes: 0 taken over, 1 a Secret moved or a request failed, 2 wrong usage, 3 the operator did not become \
ready, 4 refused: a check failed")]
pub struct TakeoverFlags {
    /// Only check; write nothing.
    #[arg(long, conflicts_with_all = ["start", "verify"])]
    pub check: bool,

    /// The Deployment of Lockstep to scale up after the checks.
    #[arg(long, value_name = "NAMESPACE/NAME", conflicts_with = "verify")]
    pub start: Option<String>,

    /// Replicas of it.
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    pub replicas: i32,

    /// How long to wait for it, and then to watch the Secrets, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub patience: u64,

    /// Go on although a start writes Secrets that are due, missing or edited.
    #[arg(long)]
    pub allow_writes: bool,

    /// Where the versions of Secrets are noted.
    #[arg(long, value_name = "FILE", default_value = "lockstep-baseline.json")]
    pub baseline: PathBuf,

    /// Compare the Secrets with the versions that were noted in this file, and do nothing else.
    #[arg(long, value_name = "FILE")]
    pub verify: Option<PathBuf>,

    #[command(flatten)]
    pub operator: OperatorFlags,

    #[command(flatten)]
    pub cluster: ClusterFlags,

    #[command(flatten)]
    pub output: OutputFlags,
}

/// Runs `lockstep takeover`.
pub fn run(flags: &TakeoverFlags, edges: Edges, screen: Screen) -> Result<ExitCode> {
    let start = flags.start.as_deref().map(named).transpose()?;
    let report = block_on(taken_over(flags, start, edges))?;
    console::result(&if flags.output.is_json() {
        format!("{:#}\n", report.json())
    } else {
        report.text(flags.output.paint(screen))
    });
    Ok(report.exit().into())
}

/// Namespace and name of a Deployment.
pub(crate) fn named(text: &str) -> Result<(&str, &str)> {
    let parts = text.split_once('/');
    let parts = parts.filter(|(namespace, name)| !namespace.is_empty() && !name.is_empty());
    parts.ok_or_else(|| Failure::usage(format!("{text:?}: write a Deployment as NAMESPACE/NAME")))
}

async fn taken_over(
    flags: &TakeoverFlags,
    start: Option<(&str, &str)>,
    edges: Edges,
) -> Result<Report> {
    let cluster = flags.cluster.connect(&edges.proxy).await?;
    let namespace = flags.cluster.namespace.as_deref();
    let mut report = Report::default();
    if let Some(path) = &flags.verify {
        let before = Baseline::read(path)?;
        let after = Baseline::take(&cluster.client, namespace).await?;
        report.secrets = Some(before.moved(&after));
        return Ok(report);
    }
    let (checks, phase) = examined(&cluster, (flags, start), edges).await?;
    report.checks = checks;
    if flags.check || report.is_refused() {
        return Ok(report);
    }
    let before = noted(&cluster.client, flags, phase, &mut report).await?;
    let marked = crds::mark(&cluster.client, &crds::find(&cluster.client).await?).await?;
    report.done.push(format!("marked {marked} CRDs as kept"));
    let Some(deployment) = start else {
        let path = flags.baseline.display();
        report.next.push(format!(
            "start the operator, then run: lockstep takeover --verify {path}"
        ));
        return Ok(report);
    };
    if started(&cluster.client, (deployment, flags), phase, &mut report).await? {
        let after = Baseline::take(&cluster.client, namespace).await?;
        report.secrets = Some(before.moved(&after));
    }
    Ok(report)
}

/// How far an earlier run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The operator is not started yet.
    Before,
    /// It runs already: an earlier run was interrupted or ended before it was ready.
    Running,
}

/// The versions of Secrets before the start. A run that goes on where another one ended compares with
/// what that one noted, because what is there now may be what the operator wrote.
async fn noted(
    client: &Client,
    flags: &TakeoverFlags,
    phase: Phase,
    report: &mut Report,
) -> Result<Baseline> {
    let path = flags.baseline.display();
    if phase == Phase::Running && flags.baseline.exists() {
        let before = Baseline::read(&flags.baseline)?;
        report.done.push(format!(
            "read the versions of {} Secrets that were noted in {path}",
            before.len()
        ));
        return Ok(before);
    }
    let before = Baseline::take(client, flags.cluster.namespace.as_deref()).await?;
    before.keep(&flags.baseline)?;
    report.done.push(format!(
        "noted the versions of {} Secrets in {path}",
        before.len()
    ));
    Ok(before)
}

/// Scales the operator up, waits for it and gives it time to do what it will; says whether it came up.
async fn started(
    client: &Client,
    (deployment, flags): ((&str, &str), &TakeoverFlags),
    phase: Phase,
    report: &mut Report,
) -> Result<bool> {
    let patience = Duration::from_secs(flags.patience);
    let (namespace, name) = deployment;
    if phase == Phase::Before {
        patience::scale(client, deployment, flags.replicas).await?;
        report
            .done
            .push(format!("scaled deployment {namespace}/{name} up"));
    }
    if patience::available(client, deployment, patience).await? == Rollout::TimedOut {
        report.not_ready = Some(format!(
            "no pod of deployment {namespace}/{name} became ready within {patience:?}; it stays \
             scaled up"
        ));
        report.next.push(format!(
            "look at: kubectl --namespace {namespace} describe deployment {name}; then run the same \
             command again, or scale it down"
        ));
        return Ok(false);
    }
    report
        .done
        .push(format!("started deployment {namespace}/{name}"));
    tokio::time::sleep(patience).await;
    Ok(true)
}

/// All checks, in the order in which they matter.
async fn examined(
    cluster: &Cluster,
    (flags, ours): (&TakeoverFlags, Option<(&str, &str)>),
    edges: Edges,
) -> Result<(Vec<Check>, Phase)> {
    let client = &cluster.client;
    let found = operators::find(client, ours, now()).await?;
    let mut checks = vec![checks::at_rest("the original", &found.original)];
    let mut phase = Phase::Before;
    if let Some(wanted) = ours {
        let deployment = found.named(wanted);
        if deployment.is_some_and(Running::is_awake) {
            phase = Phase::Running;
        }
        checks.push(checks::startable(wanted, deployment, &found.deployments));
    }
    if phase == Phase::Running {
        // The start was looked at before it was made, and its lease is the operator's own.
        checks.push(checks::served(&inventory::missing(client).await?));
        return Ok((checks, phase));
    }
    checks.push(checks::lease_is_free(&found.leases));
    checks.push(checks::served(&inventory::missing(client).await?));
    let namespace = flags.cluster.namespace.as_deref();
    let survey = survey(cluster, namespace, edges, &flags.operator).await?;
    for mut check in checks::quiet_start(&survey) {
        if flags.allow_writes && check.what == "a start would write" {
            check = Check::noted(check.what, check.details);
        }
        checks.push(check);
    }
    Ok((checks, phase))
}
