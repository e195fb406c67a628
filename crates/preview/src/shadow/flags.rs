//! Flags of `lockstep shadow`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use jiff::{SignedDuration, Timestamp};
use lockstep_golang::duration::Duration as GoDuration;
use lockstep_toolbox::cluster::ClusterFlags;
use lockstep_toolbox::exit::Failure;
use lockstep_toolbox::output::OutputFlags;

use crate::OperatorFlags;

/// Run beside the original operator, write nothing, and say whether every Secret would be the same.
///
/// Reads all ExternalSecrets, stores and Secrets, reads the values from the stores, and compares the Secret
/// that Lockstep would write with the one that is there, byte for byte: data, labels, annotations, type,
/// owner and hash. Also says how many provider calls it would save and how long a sync takes. Generators are
/// not run and nothing is pushed. It needs the rights of the original's ClusterRole to read, and no right to
/// write.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lockstep shadow
  lockstep shadow --namespace team-a --output json
  lockstep shadow --for 24h --every 10m --report shadow.json

Exit codes: 0 every Secret is the same, 1 something differs or fails, 2 wrong usage, 3 stopped before the \
first pass ended")]
pub struct ShadowFlags {
    /// How long to go on; without it one pass is made. Ctrl-C ends earlier and prints what was seen.
    #[arg(long = "for", value_name = "DURATION")]
    pub lasting: Option<String>,

    /// Time between two passes.
    #[arg(long, value_name = "DURATION", default_value = "5m")]
    pub every: String,

    /// Write the report as JSON to this file too.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    pub operator: OperatorFlags,

    #[command(flatten)]
    pub cluster: ClusterFlags,

    #[command(flatten)]
    pub output: OutputFlags,
}

impl ShadowFlags {
    /// When the last pass may begin.
    pub(super) fn until(&self, now: Timestamp) -> Result<Timestamp> {
        let Some(text) = &self.lasting else {
            return Ok(now);
        };
        let lasting = duration("--for", text)?;
        let lasting = SignedDuration::try_from(lasting).unwrap_or(SignedDuration::MAX);
        Ok(now.saturating_add(lasting).unwrap_or(Timestamp::MAX))
    }

    /// Time between two passes.
    pub(super) fn every(&self) -> Result<Duration> {
        duration("--every", &self.every).map(|every| every.max(Duration::from_secs(1)))
    }
}

fn duration(flag: &str, text: &str) -> Result<Duration> {
    let parsed = GoDuration::parse(text).ok().and_then(GoDuration::to_std);
    parsed
        .ok_or_else(|| Failure::usage(format!("{flag} {text}: write a duration such as 90s or 2h")))
}
