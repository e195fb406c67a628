//! `lockstep explain`: walks one object from its manifest to the pods that use what it delivers, and says
//! which link of that chain is the first that is broken. Facts are collected in `collect` and `live`,
//! judged without any input in `judge`, and printed in `print`; nothing here writes to a cluster.

mod collect;
mod facts;
mod flags;
mod freshness;
mod judge;
mod kinds;
mod live;
mod pods;
mod print;
mod report;

use std::process::ExitCode;

use jiff::Timestamp;
use lockstep_provider_api::Variables;
use lockstep_runtime::connect::Proxy;
use lockstep_toolbox::cluster::{Cluster, block_on};
use lockstep_toolbox::console;
use lockstep_toolbox::output::Screen;

use collect::Collector;
pub use flags::ExplainFlags;
pub use freshness::{Freshness, freshness, interval, stale_after};
pub use kinds::Kind;
pub use print::text;
pub use report::{Link, Report, State};

/// What the binary reads from its environment for this command.
pub struct Environment {
    /// Proxies for connections to the API server and to stores.
    pub proxy: Proxy,
    /// Addresses of backends and descriptions of identities, for `--live`.
    pub variables: Variables,
    /// What standard output is.
    pub screen: Screen,
}

/// Runs `lockstep explain`.
pub fn run(flags: ExplainFlags, environment: Environment) -> anyhow::Result<ExitCode> {
    let paint = flags.output.paint(environment.screen);
    let is_json = flags.output.is_json();
    let report = block_on(async {
        let (kind, name) = flags.object()?;
        let cluster = flags.cluster.connect(&environment.proxy).await?;
        let live = flags
            .live
            .then(|| live::Reader::new(&cluster.client, &flags, environment))
            .transpose()?;
        let collector = Collector::new(&cluster, &flags.controller_class, live.as_ref());
        let facts = collector.collect(&kind, name).await?;
        Ok(judge::judge(&facts, Timestamp::now()))
    })?;
    if is_json {
        console::result(&format!("{:#}\n", report.json()));
    } else {
        console::result(&print::text(&report, paint));
    }
    Ok(report.exit().into())
}

/// The report about one object, without a live read; for commands that show it in passing.
pub async fn explain(
    cluster: &Cluster,
    class: &str,
    kind: &Kind,
    name: &str,
) -> anyhow::Result<Report> {
    let facts = Collector::new(cluster, class, None)
        .collect(kind, name)
        .await?;
    Ok(judge::judge(&facts, Timestamp::now()))
}
