//! The figures of a simulated day: percentiles, reads, requests a second by store, memory.

use std::fmt::Write;
use std::time::Duration;

use crate::day::Day;

/// Values in buckets that widen with the value: percentiles to about three percent.
#[derive(Default)]
pub(crate) struct Spread {
    buckets: Vec<u64>,
    count: u64,
    most: i64,
}

impl Spread {
    pub(crate) fn add(&mut self, value: i64) {
        let value = value.max(0);
        let bucket = bucket(value);
        if self.buckets.len() <= bucket {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
        self.count += 1;
        self.most = self.most.max(value);
    }

    /// The value below which this share of a thousand lies.
    fn percentile(&self, of_thousand: u64) -> i64 {
        let wanted = self.count * of_thousand / 1_000;
        let mut seen = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen > wanted {
                return middle(bucket).min(self.most);
            }
        }
        self.most
    }
}

/// Thirty-two buckets for each doubling.
fn bucket(value: i64) -> usize {
    let value = usize::try_from(value).unwrap_or(0);
    if value < 64 {
        return value;
    }
    let doublings = value.ilog2() as usize - 5;
    doublings * 32 + (value >> doublings)
}

fn middle(bucket: usize) -> i64 {
    let value = if bucket < 64 {
        bucket
    } else {
        let doublings = bucket / 32 - 1;
        (bucket - doublings * 32) << doublings
    };
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// What is measured outside of the simulation.
pub(crate) struct Figures {
    pub(crate) took: Duration,
    pub(crate) bytes: u64,
    pub(crate) world_bytes: u64,
    pub(crate) hours: u32,
}

/// Bytes of memory the process has now.
pub(crate) fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1_024
}

pub(crate) fn text(day: &Day, figures: &Figures) -> String {
    let mut text = String::new();
    // Writing to a text cannot fail.
    let _ = write(&mut text, day, figures);
    text
}

fn write(text: &mut String, day: &Day, figures: &Figures) -> std::fmt::Result {
    let objects = u64::try_from(day.fleet.objects.len()).unwrap_or(1).max(1);
    let seconds = u64::from(figures.hours) * 3_600;
    let stores = &day.remote.stores;
    let reads: u64 = stores.iter().map(|store| store.reads).sum();
    let entries: u64 = day
        .fleet
        .objects
        .iter()
        .map(|object| {
            object.keys().len() as u64 * (seconds * 1_000) / object.interval().unsigned_abs()
        })
        .sum();
    writeln!(text, "objects            {objects}")?;
    writeln!(text, "remote secrets     {}", day.remote.keys.len())?;
    writeln!(text, "simulated hours    {}", figures.hours)?;
    writeln!(
        text,
        "took               {:.1} s",
        figures.took.as_secs_f64()
    )?;
    writeln!(
        text,
        "reads              {reads} (one an entry and interval: {entries})"
    )?;
    writeln!(text, "runs of objects    {}", day.object_runs)?;
    writeln!(
        text,
        "API requests       {} ({} a second)",
        day.api_requests,
        day.api_requests / seconds.max(1)
    )?;
    writeln!(text, "kept by shared reads at the end  {}", day.subscribed)?;
    percentiles(
        text,
        "age in thousandths of the interval (at most, while a store is down)",
        &day.age,
    )?;
    percentiles(text, "remote change to Secret, ms", &day.delay)?;
    percentiles(text, "first sync, ms", &day.first_sync)?;
    writeln!(
        text,
        "memory an object   {} bytes (scheduler, groups, governors); {} bytes the simulated world",
        figures.bytes / objects,
        figures.world_bytes / objects
    )?;
    writeln!(
        text,
        "store  reads  a second  busiest second  throttled  unreachable"
    )?;
    for (number, store) in stores.iter().enumerate() {
        writeln!(
            text,
            "{number:>5}  {:>9}  {:>6}  {:>6}  {:>8}  {:>8}",
            store.reads,
            store.reads / seconds.max(1),
            store.busiest,
            store.throttled,
            store.unreachable
        )?;
    }
    Ok(())
}

fn percentiles(text: &mut String, name: &str, spread: &Spread) -> std::fmt::Result {
    writeln!(
        text,
        "{name}: p50 {}, p90 {}, p99 {}, p99.9 {}, most {} (of {})",
        spread.percentile(500),
        spread.percentile(900),
        spread.percentile(990),
        spread.percentile(999),
        spread.most,
        spread.count
    )
}
