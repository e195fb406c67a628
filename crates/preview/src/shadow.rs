//! `lockstep shadow`: runs beside the original operator, refreshes every object in thought, and says whether
//! the Secret it would write is the one that is there. This file collects and prints; what the facts mean is
//! decided in the files beside it.

mod flags;
mod judge;
mod pass;
mod report;
mod savings;
mod text;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use jiff::Timestamp;
use lockstep_provider_api::context::Time;
use lockstep_runtime::clock::SystemTime;
use lockstep_toolbox::cluster::block_on;
use lockstep_toolbox::console;
use lockstep_toolbox::exit::Failure;
use lockstep_toolbox::output::Screen;
use lockstep_toolbox::redact::Redactor;

use crate::Edges;

pub use flags::ShadowFlags;
use report::Report;

/// Runs `lockstep shadow`.
pub fn run(flags: &ShadowFlags, edges: Edges, screen: Screen) -> Result<ExitCode> {
    let report = block_on(shadowed(flags, edges))?;
    let document = report.json();
    if let Some(path) = &flags.report {
        std::fs::write(path, format!("{document:#}\n"))
            .with_context(|| format!("write the report to {}", path.display()))?;
    }
    console::result(&if flags.output.is_json() {
        format!("{document:#}\n")
    } else {
        text::print(&report, flags.output.paint(screen))
    });
    Ok(report.exit().into())
}

/// Makes passes until the time is over or a signal comes; what was seen by then is reported.
async fn shadowed(flags: &ShadowFlags, edges: Edges) -> Result<Report> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).context("random bytes from the system")?;
    let redactor = Redactor::new(salt);
    let cluster = flags.cluster.connect(&edges.proxy).await?;
    let end = flags.until(now())?;
    let every = flags.every()?;
    let mut report = Report::default();
    loop {
        let pass = pass::make(&cluster, flags, edges.clone(), &redactor);
        tokio::select! {
            pass = pass => report.add(pass?),
            () = stopped() => break,
        }
        let wait = every.min(until(end));
        if wait.is_zero() {
            break;
        }
        tokio::select! {
            () = SystemTime.sleep(wait) => {}
            () = stopped() => break,
        }
    }
    if report.passes == 0 {
        return Err(Failure::missing(
            "stopped before the first pass ended; nothing was written anywhere",
        ));
    }
    Ok(report)
}

async fn stopped() {
    // Without signals the command ends by itself.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn now() -> Timestamp {
    SystemTime.now()
}

fn until(end: Timestamp) -> Duration {
    Duration::try_from(end.duration_since(now())).unwrap_or_default()
}
