//! The plain client's result, as a table for people or as JSON for programs.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

use crate::cli::Output;

/// What was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The command.
    pub(crate) kind: &'static str,
    /// What did the writes.
    pub(crate) operator: String,
    /// How many ExternalSecrets.
    pub(crate) objects: u32,
    /// From start to the last Secret's appearance.
    pub(crate) secrets_seconds: f64,
    /// From start to the last Ready.
    pub(crate) ready_seconds: f64,
    /// What the API server counted between the start and the last Ready.
    pub(crate) requests: u64,
    /// The same by resource and verb.
    pub(crate) requests_by_verb: BTreeMap<String, u64>,
}

impl Report {
    /// Prints the report on standard output.
    pub(crate) fn print(&self, output: Output) -> Result<()> {
        let text = match output {
            Output::Json => serde_json::to_string_pretty(self)?,
            Output::Table => self.table(),
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{text}")?;
        Ok(())
    }

    fn table(&self) -> String {
        let count = f64::from(self.objects);
        let mut rows = vec![
            (
                "objects",
                self.objects.to_string(),
                "100 namespaces, one ClusterSecretStore".to_owned(),
            ),
            (
                "all Secrets",
                format!("{:.2} s", self.secrets_seconds),
                format!("{:.0} a second", count / self.secrets_seconds),
            ),
            (
                "all Ready",
                format!("{:.2} s", self.ready_seconds),
                String::new(),
            ),
        ];
        #[expect(
            clippy::cast_precision_loss,
            reason = "counts of requests are far below 2^52"
        )]
        let each = format!("{:.2} an object", self.requests as f64 / count);
        rows.push(("API requests", self.requests.to_string(), each));
        let mut text = format!("bench {}: {}\n", self.kind, self.operator);
        for (name, value, remark) in rows {
            let line = format!("  {name:<16}{value:>12}  {remark}");
            text.push_str(line.trim_end());
            text.push('\n');
        }
        let verbs = self.requests_by_verb.iter();
        let verbs: Vec<_> = verbs
            .map(|(what, count)| format!("    {what:<36}{count:>8}"))
            .collect();
        text + &verbs.join("\n")
    }
}

/// The value below which this share of the sorted times lies.
pub(crate) fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    let rank = (times.len() * percent).div_ceil(100).max(1);
    times.get(rank - 1).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let mut times: Vec<_> = (1..=20).rev().map(Duration::from_millis).collect();

        assert_eq!(percentile(&mut times, 50), Duration::from_millis(10));
        assert_eq!(percentile(&mut times, 99), Duration::from_millis(20));
    }
}
