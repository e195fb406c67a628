//! The values behind fixed series: counters, gauges, histograms. All are cheap to update from any
//! task; reading happens at scrape only.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use lockstep_golang::float;
use parking_lot::Mutex;

use super::text::{Kind, Text};

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds one.
    pub fn increment(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// The value.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A whole number that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

impl Gauge {
    /// Sets the value.
    pub fn set(&self, value: i64) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// Adds `change`, which may be negative.
    pub fn add(&self, change: i64) {
        self.0.fetch_add(change, Ordering::Relaxed);
    }

    /// The value.
    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Durations by bucket.
#[derive(Debug)]
pub struct Histogram {
    bounds: &'static [f64],
    buckets: Box<[AtomicU64]>,
    nanoseconds: AtomicU64,
}

impl Histogram {
    /// A histogram with upper bounds in seconds, ascending; one more bucket takes the rest.
    pub fn new(bounds: &'static [f64]) -> Self {
        Self {
            bounds,
            buckets: (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect(),
            nanoseconds: AtomicU64::new(0),
        }
    }

    /// Counts one duration.
    pub fn observe(&self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        let place = self.bounds.partition_point(|bound| *bound < seconds);
        if let Some(bucket) = self.buckets.get(place) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// Writes the samples of one label set.
    pub fn render(&self, text: &mut Text, name: &str, labels: &[(&str, &str)]) {
        let bucket_name = format!("{name}_bucket");
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        let mut count = 0;
        for (bucket, bound) in self.buckets.iter().zip(bounds) {
            count += bucket.load(Ordering::Relaxed);
            let bound = float::general(bound);
            let mut labels = labels.to_vec();
            labels.push(("le", &bound));
            text.sample(&bucket_name, &labels, number(count));
        }
        let sum = Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed));
        text.sample(&format!("{name}_sum"), labels, sum.as_secs_f64());
        text.sample(&format!("{name}_count"), labels, number(count));
    }
}

/// Counters by a fixed list of labels with a small number of values.
#[derive(Debug)]
pub struct Counters<const N: usize> {
    labels: [&'static str; N],
    values: Mutex<BTreeMap<[Cow<'static, str>; N], u64>>,
}

impl<const N: usize> Counters<N> {
    /// Counters with these labels.
    pub fn new(labels: [&'static str; N]) -> Self {
        Self {
            labels,
            values: Mutex::default(),
        }
    }

    /// Shows a series with zero before it counts anything, so that its first increase is seen.
    pub fn show(&self, values: [Cow<'static, str>; N]) {
        self.values.lock().entry(values).or_insert(0);
    }

    /// Adds one.
    pub fn add(&self, values: [Cow<'static, str>; N]) {
        *self.values.lock().entry(values).or_insert(0) += 1;
    }

    /// Writes the family; nothing while nothing was counted.
    pub fn render(&self, text: &mut Text, name: &str, help: &str) {
        let values = self.values.lock();
        if values.is_empty() {
            return;
        }
        text.family(name, Kind::Counter, help);
        for (words, count) in values.iter() {
            let labels: [(&str, &str); N] =
                std::array::from_fn(|place| (self.labels[place], words[place].as_ref()));
            text.sample(name, &labels, number(*count));
        }
    }
}

/// A count as a sample; exact up to 2^53.
#[expect(
    clippy::cast_precision_loss,
    reason = "Prometheus knows floats only; no count gets near the limit"
)]
pub fn number(count: u64) -> f64 {
    count as f64
}
