//! The result of a benchmark, as a table for people or as JSON for programs.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

use crate::cli::Output;

/// What was measured. Absent parts do not apply to the kind of run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// `scale` or `raw`.
    pub(crate) kind: &'static str,
    /// The binary, or what stood in for one.
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
    /// The operator process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) process: Option<Process>,
}

/// What the operator process cost.
#[derive(Debug, Serialize)]
pub(crate) struct Process {
    /// VmHWM when the last object was Ready, one scrape of the metrics included.
    pub(crate) peak_mib: f64,
    /// VmRSS at the same time.
    pub(crate) resident_mib: f64,
    /// User and system time up to then.
    pub(crate) cpu_seconds: f64,
    /// From the creation of a single new object to its Secret, in milliseconds.
    pub(crate) latency_p50_ms: f64,
    /// The same, 99th percentile.
    pub(crate) latency_p99_ms: f64,
    /// Calls to the provider by the operator's own metric, if it counts them.
    pub(crate) provider_calls: Option<u64>,
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
        if let Some(process) = &self.process {
            let resident = format!("{:.1} MiB at the end", process.resident_mib);
            rows.push((
                "peak memory",
                format!("{:.1} MiB", process.peak_mib),
                resident,
            ));
            rows.push((
                "CPU",
                format!("{:.2} s", process.cpu_seconds),
                String::new(),
            ));
            let calls = process
                .provider_calls
                .map_or("not counted".to_owned(), |n| n.to_string());
            rows.push((
                "provider calls",
                calls,
                "the operator's own metric".to_owned(),
            ));
            let latency = format!("{:.0} ms", process.latency_p50_ms);
            let worst = format!("p50 of 20; p99 {:.0} ms", process.latency_p99_ms);
            rows.push(("a new object", latency, worst));
        }
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
