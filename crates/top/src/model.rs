//! Rows made of objects: how each stands, when it is due, and what it costs. Pure: objects and a time in,
//! rows out.

use jiff::{SignedDuration, Timestamp};
use lockstep_api::conditions::{Condition, READY};
use lockstep_api::{ExternalSecret, PushSecret};
use lockstep_explain::{Freshness, freshness};
use lockstep_golang::duration::Duration as GoDuration;
use lockstep_plan::external_secret::{period, store_keys};
use lockstep_plan::store::StoreRecord;
use lockstep_plan::{Cause, StoreKey};
use serde::Serialize;
use serde_json::{Value, json};

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

/// What was read of a cluster.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) external_secrets: Vec<ExternalSecret>,
    pub(crate) push_secrets: Vec<PushSecret>,
    pub(crate) stores: Vec<StoreRecord>,
}

impl Model {
    pub(crate) fn of(seen: &Seen, now: Timestamp) -> Self {
        let reads = seen.external_secrets.iter().map(|object| read(object, now));
        let pushes = seen.push_secrets.iter().map(push);
        let objects: Vec<Row> = reads.chain(pushes).collect();
        let stores = seen.stores.iter().map(|record| store(record, seen));
        Self {
            stores: stores.collect(),
            objects,
        }
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

fn read(object: &ExternalSecret, now: Timestamp) -> Row {
    let status = object.status.as_ref();
    let conditions = status.map(|status| &status.conditions[..]);
    let message = message(conditions.unwrap_or_default());
    let health = match freshness(object, now) {
        Freshness::Never => Health::Waiting,
        Freshness::Failing if message.contains(": Throttled: ") => Health::Throttled,
        Freshness::Failing => Health::Failing,
        Freshness::Stale(_) => Health::Stale,
        Freshness::Fresh => Health::Ready,
    };
    let last = status.and_then(|status| status.refresh_time.as_ref());
    let last = last.map(|time| time.0);
    let period = period(object).and_then(|period| SignedDuration::try_from(period).ok());
    let stores = store_keys(object);
    Row {
        kind: "ExternalSecret",
        namespace: object.metadata.namespace.clone().unwrap_or_default(),
        name: object.metadata.name.clone().unwrap_or_default(),
        health,
        through: names(stores.iter()),
        message,
        last,
        due: last
            .zip(period)
            .map(|(last, period)| next(last, period, now)),
        reads_per_hour: reads_per_hour(object),
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

fn reads_per_hour(object: &ExternalSecret) -> f64 {
    let entries = object.spec.data.len() + object.spec.data_from.len();
    let entries = u32::try_from(entries).map_or(f64::MAX, f64::from);
    period(object).map_or(0.0, |period| {
        entries * 3_600.0 / period.as_secs_f64().max(1.0)
    })
}

fn push(object: &PushSecret) -> Row {
    let status = object.status.as_ref();
    let conditions = status.map(|status| &status.conditions[..]);
    let conditions = conditions.unwrap_or_default();
    let stores = object.spec.secret_store_refs.iter();
    let stores: Vec<&str> = stores.filter_map(|store| store.name.as_deref()).collect();
    let last = status.and_then(|status| status.refresh_time.as_ref());
    let last = last.map(|time| time.0);
    let interval = object.spec.refresh_interval.as_deref().unwrap_or("1h");
    let interval = GoDuration::parse(interval)
        .ok()
        .and_then(GoDuration::to_std);
    let interval = interval.and_then(|interval| SignedDuration::try_from(interval).ok());
    Row {
        kind: "PushSecret",
        namespace: object.metadata.namespace.clone().unwrap_or_default(),
        name: object.metadata.name.clone().unwrap_or_default(),
        health: health(conditions),
        through: stores.join(", "),
        message: message(conditions),
        last,
        due: last
            .zip(interval)
            .and_then(|(last, interval)| last.checked_add(interval).ok()),
        reads_per_hour: 0.0,
        users: 0,
    }
}

fn store(record: &StoreRecord, seen: &Seen) -> Row {
    let conditions = &record.status.conditions[..];
    let reading: Vec<&ExternalSecret> = seen
        .external_secrets
        .iter()
        .filter(|object| store_keys(object).contains(&record.key))
        .collect();
    let provider = record.spec.provider.only();
    Row {
        kind: record.key.kind.as_str(),
        namespace: record.key.namespace.clone().unwrap_or_default(),
        name: record.key.name.clone(),
        health: health(conditions),
        through: provider
            .map(|(name, _)| name.to_owned())
            .unwrap_or_default(),
        message: message(conditions),
        last: None,
        due: None,
        reads_per_hour: reading.iter().map(|object| reads_per_hour(object)).sum(),
        users: reading.len(),
    }
}

fn health(conditions: &[Condition]) -> Health {
    match Condition::find(conditions, READY) {
        None => Health::Waiting,
        Some(ready) if ready.is_true() => Health::Ready,
        Some(ready) => {
            let message = ready.message.as_deref().unwrap_or_default();
            if message.contains(": Throttled: ") {
                Health::Throttled
            } else {
                Health::Failing
            }
        }
    }
}

/// What the condition says while it does not hold.
fn message(conditions: &[Condition]) -> String {
    let ready = Condition::find(conditions, READY).filter(|ready| !ready.is_true());
    ready
        .and_then(|ready| ready.message.clone())
        .unwrap_or_default()
}

fn names<'a>(keys: impl Iterator<Item = &'a StoreKey>) -> String {
    let names: Vec<&str> = keys.map(|key| key.name.as_str()).collect();
    names.join(", ")
}
