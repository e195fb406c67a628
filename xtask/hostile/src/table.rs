//! The result as a table for people, as JSON for programs, or as the lines that the test command
//! counts.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use crate::cli::Output;
use crate::entry::Entry;
use crate::verdict::{Limits, Outcome};

/// All rows of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The binary.
    pub(crate) operator: String,
    pub(crate) rows: Vec<Row>,
}

/// What one entry did, or several that shared a round.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) entry: String,
    pub(crate) area: String,
    new_objects: usize,
    late: usize,
    /// The longest time of a new healthy object in seconds; nothing when one was never ready.
    worst_seconds: Option<f64>,
    not_ready: usize,
    secrets_lost: usize,
    restarts: usize,
    peak_mib: u64,
    cpu_seconds: f64,
    lease_gap_seconds: f64,
    health_failures: u64,
    /// Why it failed; nothing when it passed.
    faults: Vec<String>,
}

impl Row {
    pub(crate) fn new(entry: &str, outcome: &Outcome, limits: &Limits) -> Self {
        let trace = &outcome.trace;
        Self {
            entry: entry.to_owned(),
            area: String::new(),
            new_objects: outcome.probes,
            late: outcome.late(limits),
            worst_seconds: outcome.worst().map(|worst| worst.as_secs_f64()),
            not_ready: outcome.fell.len(),
            secrets_lost: outcome.lost.len(),
            restarts: trace.ends.len(),
            peak_mib: trace.peak_kib / 1024,
            cpu_seconds: trace.cpu.as_secs_f64(),
            lease_gap_seconds: trace.gap.as_secs_f64(),
            health_failures: trace.sick,
            faults: outcome.faults(limits),
        }
    }

    /// The row with its area.
    pub(crate) fn of(mut self, area: &str) -> Self {
        area.clone_into(&mut self.area);
        self
    }

    /// The row of one entry that shared this round.
    pub(crate) fn named(&self, entry: &Entry) -> Self {
        Self {
            entry: entry.name.clone(),
            area: entry.area.clone(),
            ..self.clone()
        }
    }

    pub(crate) fn passed(&self) -> bool {
        self.faults.is_empty()
    }

    /// `pass`, or what is wrong.
    pub(crate) fn verdict(&self) -> String {
        if self.passed() {
            return "pass".to_owned();
        }
        format!("FAIL: {}", self.faults.join("; "))
    }

    fn line(&self) -> String {
        let worst = self.worst_seconds;
        let worst = worst.map_or_else(|| "never".to_owned(), |worst| format!("{worst:.2}"));
        format!(
            "{:<44} {:>4}/{:<4} {:>6} {:>5} {:>5} {:>5} {:>6} {:>6.1} {:>6.1} {:>5}  {}",
            self.entry,
            self.late,
            self.new_objects,
            worst,
            self.not_ready,
            self.secrets_lost,
            self.restarts,
            self.peak_mib,
            self.cpu_seconds,
            self.lease_gap_seconds,
            self.health_failures,
            if self.passed() { "pass" } else { "FAIL" },
        )
    }
}

impl Report {
    /// Prints the report on standard output; the exit code tells whether anything failed.
    pub(crate) fn print(&self, output: Output) -> Result<ExitCode> {
        let mut out = std::io::stdout().lock();
        match output {
            Output::Json => writeln!(out, "{}", serde_json::to_string_pretty(self)?)?,
            Output::Table => self.table(&mut out)?,
            Output::Tally => {}
        }
        let failed: Vec<_> = self.rows.iter().filter(|row| !row.passed()).collect();
        if output != Output::Json {
            for row in &failed {
                writeln!(out, "FAIL hostile/{}: {}", row.entry, row.faults.join("; "))?;
            }
            let passed = self.rows.len() - failed.len();
            writeln!(out, "{passed} passed, {} failed", failed.len())?;
        }
        Ok(if failed.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }

    fn table(&self, out: &mut impl Write) -> Result<()> {
        writeln!(out, "hostile: {}", self.operator)?;
        writeln!(
            out,
            "{:<44} {:>9} {:>6} {:>5} {:>5} {:>5} {:>6} {:>6} {:>6} {:>5}  verdict",
            "entry", "late", "worst", "not", "lost", "re-", "MiB", "CPU s", "lease", "sick"
        )?;
        for row in &self.rows {
            writeln!(out, "{}", row.line())?;
        }
        Ok(())
    }
}

/// Prints the names of entries with what they do.
pub(crate) fn print_list(entries: &[Entry]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    for entry in entries {
        let header = &entry.header;
        writeln!(
            out,
            "{:<12} {:<40} {}: {}",
            entry.area, entry.name, header.title, header.gains
        )?;
    }
    writeln!(out, "{} entries", entries.len())?;
    Ok(())
}
