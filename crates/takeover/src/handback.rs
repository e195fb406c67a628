//! `lockstep handback`: leaves everything as the original expects it. Checks that Lockstep is scaled down,
//! takes away conditions that the original's CRDs refuse, and says what is left to do. Writes no Secret, and
//! may be repeated after an interruption.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use lockstep_preview::Edges;
use lockstep_preview::start::now;
use lockstep_toolbox::cluster::{ClusterFlags, block_on};
use lockstep_toolbox::console;
use lockstep_toolbox::output::{OutputFlags, Screen};

use crate::baseline::Baseline;
use crate::checks::{self, Check, some_of};
use crate::crds::Crd;
use crate::report::Report;
use crate::takeover::named;
use crate::{crds, foreign_status, operators};

/// Hand everything back to the original operator without writing a Secret.
///
/// Checks first that Lockstep is scaled down and holds no lease. Then it takes away the conditions that only
/// Lockstep writes, notes the resourceVersion of every managed Secret in a file, and says whether the
/// original's CRDs must be applied before it starts. Finalizers, labels, hashes and field managers are the
/// original's already.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lockstep handback --check
  lockstep handback && helm rollback external-secrets && lockstep handback --verify lockstep-baseline.json

Exit codes: 0 handed back, 1 a Secret moved or a request failed, 2 wrong usage, 4 refused: a check failed")]
pub struct HandbackFlags {
    /// Only check; write nothing.
    #[arg(long, conflicts_with = "verify")]
    pub check: bool,

    /// The Deployment of Lockstep, where its image is not called so.
    #[arg(long, value_name = "NAMESPACE/NAME")]
    pub lockstep: Option<String>,

    /// Where the versions of Secrets are noted.
    #[arg(long, value_name = "FILE", default_value = "lockstep-baseline.json")]
    pub baseline: PathBuf,

    /// Compare the Secrets with the versions that were noted in this file, and do nothing else.
    #[arg(long, value_name = "FILE")]
    pub verify: Option<PathBuf>,

    #[command(flatten)]
    pub cluster: ClusterFlags,

    #[command(flatten)]
    pub output: OutputFlags,
}

/// Runs `lockstep handback`.
pub fn run(flags: &HandbackFlags, edges: &Edges, screen: Screen) -> Result<ExitCode> {
    let ours = flags.lockstep.as_deref().map(named).transpose()?;
    let report = block_on(handed_back(flags, ours, edges))?;
    console::result(&if flags.output.is_json() {
        format!("{:#}\n", report.json())
    } else {
        report.text(flags.output.paint(screen))
    });
    Ok(report.exit().into())
}

async fn handed_back(
    flags: &HandbackFlags,
    ours: Option<(&str, &str)>,
    edges: &Edges,
) -> Result<Report> {
    let cluster = flags.cluster.connect(&edges.proxy).await?;
    let (client, namespace) = (&cluster.client, flags.cluster.namespace.as_deref());
    let mut report = Report::default();
    if let Some(path) = &flags.verify {
        let before = Baseline::read(path)?;
        let after = Baseline::take(client, namespace).await?;
        report.secrets = Some(before.moved(&after));
        return Ok(report);
    }
    let found = operators::find(client, ours, now()).await?;
    report.checks = vec![
        checks::at_rest("Lockstep", &found.lockstep),
        checks::lease_is_free(&found.leases),
    ];
    let foreign = foreign_status::find(client).await?;
    let shown: Vec<String> = foreign.iter().map(foreign_status::Foreign::shown).collect();
    report.checks.push(conditions(shown));
    let installed = crds::find(client).await?;
    report.checks.push(originals_crds(&installed));
    if flags.check || report.is_refused() {
        return Ok(report);
    }
    let before = Baseline::take(client, namespace).await?;
    before.keep(&flags.baseline)?;
    let (count, path) = (before.len(), flags.baseline.display());
    report
        .done
        .push(format!("noted the versions of {count} Secrets in {path}"));
    foreign_status::remove(client, &foreign).await?;
    let count = foreign.len();
    report
        .done
        .push(format!("took our conditions away from {count} objects"));
    let after = Baseline::take(client, namespace).await?;
    report.secrets = Some(before.moved(&after));
    if installed.iter().any(|crd| crd.is_ours) {
        let text = "apply the original's CRDs before it starts; `helm rollback` brings both";
        report.next.push(text.to_owned());
    }
    report.next.push(format!(
        "start the original, then run: lockstep handback --verify {path}"
    ));
    Ok(report)
}

fn conditions(objects: Vec<String>) -> Check {
    if objects.is_empty() {
        return Check::passed("no status has conditions that the original does not know");
    }
    let what = format!(
        "{} objects have conditions that the original's CRDs refuse; they are taken away",
        objects.len()
    );
    Check::noted(what, some_of(objects))
}

fn originals_crds(installed: &[Crd]) -> Check {
    let ours = installed.iter().filter(|crd| crd.is_ours);
    let ours: Vec<String> = ours.map(|crd| crd.name.clone()).collect();
    if ours.is_empty() {
        return Check::passed("the CRDs are the original's");
    }
    let what = "CRDs of Lockstep are installed; the original needs its own, which fill in defaults";
    Check::noted(what, some_of(ours))
}
