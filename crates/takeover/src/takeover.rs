//! `lockstep takeover`: lets Lockstep begin where the original ended. Checks that nothing stands in the way,
//! marks the CRDs as kept, starts the operator if asked to, and proves that no Secret moved. Writes no
//! Secret, and may be repeated after an interruption.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use lockstep_preview::start::{now, survey};
use lockstep_preview::{Edges, OperatorFlags};
use lockstep_toolbox::cluster::{Cluster, ClusterFlags, block_on};
use lockstep_toolbox::console;
use lockstep_toolbox::exit::Failure;
use lockstep_toolbox::output::{OutputFlags, Screen};

use crate::baseline::Baseline;
use crate::checks::{self, Check};
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
    report.checks = examined(&cluster, (flags, start), edges).await?;
    if flags.check || report.is_refused() {
        return Ok(report);
    }
    let before = Baseline::take(&cluster.client, namespace).await?;
    before.keep(&flags.baseline)?;
    let path = flags.baseline.display();
    let count = before.len();
    report
        .done
        .push(format!("noted the versions of {count} Secrets in {path}"));
    let marked = crds::mark(&cluster.client, &crds::find(&cluster.client).await?).await?;
    report.done.push(format!("marked {marked} CRDs as kept"));
    let Some(deployment) = start else {
        report.next.push(format!(
            "start the operator, then run: lockstep takeover --verify {path}"
        ));
        return Ok(report);
    };
    let patience = Duration::from_secs(flags.patience);
    patience::scale(&cluster.client, deployment, flags.replicas).await?;
    patience::ready(&cluster.client, deployment, patience).await?;
    let (namespace_of, name) = deployment;
    report
        .done
        .push(format!("started deployment {namespace_of}/{name}"));
    tokio::time::sleep(patience).await;
    let after = Baseline::take(&cluster.client, namespace).await?;
    report.secrets = Some(before.moved(&after));
    Ok(report)
}

/// All checks, in the order in which they matter.
async fn examined(
    cluster: &Cluster,
    (flags, ours): (&TakeoverFlags, Option<(&str, &str)>),
    edges: Edges,
) -> Result<Vec<Check>> {
    let client = &cluster.client;
    let found = operators::find(client, ours, now()).await?;
    let mut checks = vec![
        checks::at_rest("the original", &found.original),
        checks::lease_is_free(&found.leases),
        checks::served(&inventory::missing(client).await?),
    ];
    let namespace = flags.cluster.namespace.as_deref();
    let survey = survey(cluster, namespace, edges, &flags.operator).await?;
    for mut check in checks::quiet_start(&survey) {
        if flags.allow_writes && check.what == "a start would write" {
            check = Check::noted(check.what, check.details);
        }
        checks.push(check);
    }
    Ok(checks)
}
