//! What the view keeps of an object: the few words and times that its row is made of. Objects are reduced
//! while they are decoded, so that a large cluster fits into little memory.

use jiff::{SignedDuration, Timestamp};
use kube::Resource;
use lockstep_api::conditions::{Condition, READY};
use lockstep_api::{ClusterSecretStore, ExternalSecret, PushSecret, SecretStore};
use lockstep_explain::{Freshness, freshness, stale_after};
use lockstep_golang::duration::Duration as GoDuration;
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::{period, store_keys};
use lockstep_plan::store::StoreRecord;
use serde::de::DeserializeOwned;

use crate::model::Health;

/// Longest message that is kept, in characters.
const LONGEST: usize = 1024;

/// One object or store.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facts {
    pub(crate) kind: &'static str,
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// How it stands, as long as it is not stale.
    pub(crate) health: Health,
    /// What its condition says while it is not ready.
    pub(crate) message: String,
    /// The stores it reads or writes through; for a store, its provider.
    pub(crate) through: String,
    /// The stores it reads through; for a store, itself.
    pub(crate) stores: Vec<StoreKey>,
    pub(crate) last: Option<Timestamp>,
    /// When it is due, where that is one moment.
    pub(crate) due: Option<Timestamp>,
    /// Time between two refreshes, where it is due again and again.
    pub(crate) period: Option<SignedDuration>,
    /// From when on it is stale.
    pub(crate) stale_after: Option<Timestamp>,
    /// Reads an hour that its own interval asks for.
    pub(crate) reads_per_hour: f64,
}

/// An object that can be reduced.
pub(crate) trait Reduce:
    Resource<DynamicType = ()> + DeserializeOwned + Clone + std::fmt::Debug + Send + 'static
{
    /// Its kind.
    const NAME: &'static str;

    /// What is kept of it.
    fn reduced(self) -> Facts;
}

impl Reduce for ExternalSecret {
    const NAME: &'static str = Self::KIND;

    fn reduced(self) -> Facts {
        let status = self.status.as_ref();
        let conditions = status.map(|status| &status.conditions[..]);
        let message = message(conditions.unwrap_or_default());
        // At the beginning of time nothing is stale.
        let health = match freshness(&self, Timestamp::MIN) {
            Freshness::Never => Health::Waiting,
            Freshness::Failing if is_throttled(&message) => Health::Throttled,
            Freshness::Failing => Health::Failing,
            Freshness::Stale(_) | Freshness::Fresh => Health::Ready,
        };
        let stores: Vec<StoreKey> = store_keys(&self).into_iter().collect();
        let names: Vec<&str> = stores.iter().map(|key| key.name.as_str()).collect();
        Facts {
            kind: Self::KIND,
            health,
            through: names.join(", "),
            last: status
                .and_then(|status| status.refresh_time.as_ref())
                .map(|time| time.0),
            due: None,
            period: period(&self).and_then(|period| SignedDuration::try_from(period).ok()),
            stale_after: stale_after(&self),
            reads_per_hour: reads_per_hour(&self),
            namespace: self.metadata.namespace.unwrap_or_default(),
            name: self.metadata.name.unwrap_or_default(),
            message,
            stores,
        }
    }
}

fn reads_per_hour(object: &ExternalSecret) -> f64 {
    let entries = object.spec.data.len() + object.spec.data_from.len();
    let entries = u32::try_from(entries).map_or(f64::MAX, f64::from);
    period(object).map_or(0.0, |period| {
        entries * 3_600.0 / period.as_secs_f64().max(1.0)
    })
}

impl Reduce for PushSecret {
    const NAME: &'static str = Self::KIND;

    fn reduced(self) -> Facts {
        let status = self.status.as_ref();
        let conditions = status.map(|status| &status.conditions[..]);
        let conditions = conditions.unwrap_or_default();
        let stores = self.spec.secret_store_refs.iter();
        let stores: Vec<&str> = stores.filter_map(|store| store.name.as_deref()).collect();
        let last = status.and_then(|status| status.refresh_time.as_ref());
        let last = last.map(|time| time.0);
        let interval = self.spec.refresh_interval.as_deref().unwrap_or("1h");
        let interval = GoDuration::parse(interval)
            .ok()
            .and_then(GoDuration::to_std);
        let interval = interval.and_then(|interval| SignedDuration::try_from(interval).ok());
        Facts {
            kind: Self::KIND,
            health: health(conditions),
            message: message(conditions),
            through: stores.join(", "),
            stores: Vec::new(),
            last,
            due: last
                .zip(interval)
                .and_then(|(last, interval)| last.checked_add(interval).ok()),
            period: None,
            stale_after: None,
            reads_per_hour: 0.0,
            namespace: self.metadata.namespace.clone().unwrap_or_default(),
            name: self.metadata.name.clone().unwrap_or_default(),
        }
    }
}

impl Reduce for SecretStore {
    const NAME: &'static str = Self::KIND;

    fn reduced(self) -> Facts {
        store(StoreRecord::from(self))
    }
}

impl Reduce for ClusterSecretStore {
    const NAME: &'static str = Self::KIND;

    fn reduced(self) -> Facts {
        store(StoreRecord::from(self))
    }
}

fn store(record: StoreRecord) -> Facts {
    let conditions = &record.status.conditions[..];
    let provider = record.spec.provider.only();
    Facts {
        kind: record.key.kind.as_str(),
        namespace: record.key.namespace.clone().unwrap_or_default(),
        name: record.key.name.clone(),
        health: health(conditions),
        message: message(conditions),
        through: provider
            .map(|(name, _)| name.to_owned())
            .unwrap_or_default(),
        stores: vec![record.key],
        last: None,
        due: None,
        period: None,
        stale_after: None,
        reads_per_hour: 0.0,
    }
}

fn health(conditions: &[Condition]) -> Health {
    match Condition::find(conditions, READY) {
        None => Health::Waiting,
        Some(ready) if ready.is_true() => Health::Ready,
        Some(ready) if is_throttled(ready.message.as_deref().unwrap_or_default()) => {
            Health::Throttled
        }
        Some(_) => Health::Failing,
    }
}

fn is_throttled(message: &str) -> bool {
    message.contains(": Throttled: ")
}

/// What the condition says while it does not hold.
fn message(conditions: &[Condition]) -> String {
    let ready = Condition::find(conditions, READY).filter(|ready| !ready.is_true());
    let message = ready.and_then(|ready| ready.message.as_deref());
    message.unwrap_or_default().chars().take(LONGEST).collect()
}
