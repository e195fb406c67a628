//! Rows made of facts: how each stands, when it is due, and what it costs. Pure: facts and a time in, rows
//! out.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use lockstep_plan::{Cause, StoreKey};
use serde::Serialize;
use serde_json::{Value, json};

use crate::facts::Facts;
use crate::seen::Seen;

/// How something stands, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Health {
    /// Not ready.
    Failing,
    /// Not ready, because the provider asks for patience.
    Throttled,
    /// Ready, and no refresh was noted for too long.
    Stale,
    /// Without a report so far.
    Waiting,
    /// Ready and fresh.
    Ready,
}

impl Health {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Failing => "failing",
            Self::Throttled => "throttled",
            Self::Stale => "stale",
            Self::Waiting => "waiting",
            Self::Ready => "ready",
        }
    }
}

/// One object or store.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row {
    pub(crate) kind: &'static str,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) health: Health,
    /// The stores it reads or writes through; for a store, its provider.
    pub(crate) through: String,
    /// What its condition says while it is not ready.
    pub(crate) message: String,
    pub(crate) last: Option<Timestamp>,
    pub(crate) due: Option<Timestamp>,
    /// Reads an hour that its own interval asks for; shared reads make fewer of them.
    pub(crate) reads_per_hour: f64,
    /// For a store, how many objects use it.
    pub(crate) users: usize,
}

impl Row {
    /// The message from its cause on: what comes before is the same for every failure.
    pub(crate) fn told(&self) -> &str {
        let causes = Cause::ALL.iter();
        let starts =
            causes.filter_map(|cause| self.message.find(&format!(": {}: ", cause.as_str())));
        let start = starts.min().map_or(0, |at| at + 2);
        self.message.get(start..).unwrap_or(&self.message)
    }
}

/// Everything that is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Model {
    pub(crate) objects: Vec<Row>,
    pub(crate) stores: Vec<Row>,
}

impl Model {
    /// The rows of all that is known, as they stand now.
    pub(crate) fn of(seen: &Seen, now: Timestamp) -> Self {
        let mut per_store: BTreeMap<&StoreKey, (usize, f64)> = BTreeMap::new();
        let reading = seen.facts().filter(|facts| !is_store(facts));
        for facts in reading {
            for store in &facts.stores {
                let (users, reads) = per_store.entry(store).or_default();
                *users += 1;
                *reads += facts.reads_per_hour;
            }
        }
        let mut model = Self::default();
        for facts in seen.facts() {
            let mut row = row(facts, now);
            if is_store(facts) {
                let totals = facts.stores.first().and_then(|store| per_store.get(store));
                (row.users, row.reads_per_hour) = totals.copied().unwrap_or_default();
                model.stores.push(row);
            } else {
                model.objects.push(row);
            }
        }
        model
    }

    /// Whether everything is ready and fresh.
    pub(crate) fn is_healthy(&self) -> bool {
        let mut rows = self.objects.iter().chain(&self.stores);
        rows.all(|row| row.health == Health::Ready)
    }

    /// How many rows stand so.
    pub(crate) fn count(&self, health: Health) -> usize {
        let rows = self.objects.iter().chain(&self.stores);
        rows.filter(|row| row.health == health).count()
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "healthy": self.is_healthy(),
            "objects": self.objects,
            "stores": self.stores,
        })
    }
}

fn is_store(facts: &Facts) -> bool {
    facts.kind.ends_with("Store")
}

fn row(facts: &Facts, now: Timestamp) -> Row {
    let is_late = facts.stale_after.is_some_and(|late| late < now);
    let repeated = facts.last.zip(facts.period);
    Row {
        kind: facts.kind,
        namespace: facts.namespace.clone(),
        name: facts.name.clone(),
        health: match facts.health {
            Health::Ready if is_late => Health::Stale,
            health => health,
        },
        through: facts.through.clone(),
        message: facts.message.clone(),
        last: facts.last,
        due: facts
            .due
            .or_else(|| repeated.map(|(last, period)| next(last, period, now))),
        reads_per_hour: facts.reads_per_hour,
        users: 0,
    }
}

/// The first multiple of the interval after `now`: unchanged refreshes are noted now and then only.
fn next(last: Timestamp, period: SignedDuration, now: Timestamp) -> Timestamp {
    let passed = now.duration_since(last).as_nanos().max(0);
    let rounds = passed / period.as_nanos().max(1) + 1;
    let rounds = i32::try_from(rounds).unwrap_or(i32::MAX);
    let ahead = period.checked_mul(rounds).unwrap_or(period);
    last.checked_add(ahead).unwrap_or(now)
}
