//! How old the values of objects are, store by store: what people want to know of an outage. Only
//! objects that time refreshes count; the others are as fresh as they are meant to be.

use std::sync::Arc;

use jiff::Timestamp;
use lockstep_api::ExternalSecret;
use lockstep_plan::StoreKey;
use lockstep_plan::external_secret::period;

use super::{ExternalSecrets, ObjectKey, Row};

/// What the object itself tells, in whole seconds to keep rows small.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Age {
    /// The refresh that its status names, or its creation: seconds since 1970.
    noted: u32,
    /// How often it is refreshed; zero where time does not refresh it.
    period: u32,
}

impl Age {
    pub(super) fn of(object: &ExternalSecret) -> Self {
        let status = object.status.as_ref();
        let refreshed = status.and_then(|status| status.refresh_time.as_ref());
        let noted = refreshed.or(object.metadata.creation_timestamp.as_ref());
        let period = period(object).map_or(0, |period| period.as_secs().max(1));
        Self {
            noted: noted.map_or(0, |time| seconds(time.0)),
            period: u32::try_from(period).unwrap_or(u32::MAX),
        }
    }
}

/// Ages of what one store's objects hold, in seconds.
#[derive(Debug, PartialEq, Eq)]
pub struct Freshness {
    pub store: Arc<StoreKey>,
    /// In ascending order; never empty.
    ages: Vec<u32>,
    /// By how much the refresh of the most neglected object is late.
    pub overdue: u32,
    /// How many are late.
    pub late: u32,
}

impl Freshness {
    /// The age below or at which this share of the objects lies.
    pub fn quantile(&self, percent: usize) -> u32 {
        let place = (self.ages.len() * percent).div_ceil(100).max(1) - 1;
        self.ages.get(place).copied().unwrap_or_default()
    }
}

impl ExternalSecrets {
    /// Freshness by store. `shared` says when shared reads last refreshed an object.
    pub fn freshness(
        &self,
        now: Timestamp,
        shared: impl Fn(&ObjectKey) -> Option<Timestamp>,
    ) -> Vec<Freshness> {
        let now = seconds(now);
        let of_store = |(store, users): (&Arc<StoreKey>, _)| {
            let mut found = Freshness {
                store: Arc::clone(store),
                ages: Vec::new(),
                overdue: 0,
                late: 0,
            };
            for key in users {
                if let Some(row) = self.rows.get(key).filter(|row| row.age.period > 0) {
                    found.add(row, shared(key), now);
                }
            }
            found.ages.sort_unstable();
            found
        };
        let all = self.links.stores().map(of_store);
        all.filter(|found| !found.ages.is_empty()).collect()
    }
}

impl Freshness {
    fn add(&mut self, row: &Row, shared: Option<Timestamp>, now: u32) {
        let remembered = row.memory.refreshed.max(shared).map_or(0, seconds);
        let age = now.saturating_sub(remembered.max(row.age.noted));
        self.ages.push(age);
        // Refreshes are spread over a tenth of the period.
        let due = row.age.period.saturating_add(row.age.period / 10);
        let overdue = age.saturating_sub(due);
        self.overdue = self.overdue.max(overdue);
        self.late += u32::from(overdue > 0);
    }
}

fn seconds(time: Timestamp) -> u32 {
    u32::try_from(time.as_second()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(name: &str, interval: &str, refreshed: Option<&str>) -> ExternalSecret {
        let status = refreshed.map(|time| json!({"refreshTime": time}));
        serde_json::from_value(json!({
            "apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
            "metadata": {
                "name": name, "namespace": "team", "creationTimestamp": "2026-05-01T11:00:00Z",
            },
            "spec": {
                "refreshInterval": interval, "secretStoreRef": {"name": "store"},
                "data": [{"secretKey": "a", "remoteRef": {"key": "a"}}],
            },
            "status": status,
        }))
        .unwrap()
    }

    fn noon() -> Timestamp {
        "2026-05-01T12:00:00Z".parse().unwrap()
    }

    fn told(objects: Vec<ExternalSecret>) -> Vec<Freshness> {
        let mut mirror = ExternalSecrets::default();
        for object in objects {
            mirror.apply(object, noon());
        }
        mirror.freshness(noon(), |key| {
            (key.name() == "shared").then(|| "2026-05-01T11:59:50Z".parse().unwrap())
        })
    }

    #[test]
    fn ages_are_told_by_store_and_the_most_neglected_counts() {
        let found = told(vec![
            object("fresh", "1h", Some("2026-05-01T11:59:00Z")),
            object("late", "10m", Some("2026-05-01T11:48:00Z")),
            object("shared", "1h", Some("2026-05-01T11:10:00Z")),
        ]);

        let [store] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(store.ages, [10, 60, 720]);
        assert_eq!((store.overdue, store.late), (60, 1));
        assert_eq!((store.quantile(50), store.quantile(100)), (60, 720));
    }

    #[test]
    fn what_was_never_refreshed_counts_from_its_creation() {
        let found = told(vec![object("new", "1m", None)]);

        assert_eq!(found[0].ages, [3600]);
        assert_eq!(found[0].overdue, 3600 - 66);
    }

    #[test]
    fn what_time_does_not_refresh_has_no_age() {
        assert_eq!(
            told(vec![object("once", "0", Some("2026-01-01T00:00:00Z"))]),
            []
        );
    }
}
