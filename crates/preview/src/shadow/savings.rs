//! How many provider calls an hour the original makes for the same objects, and how many Lockstep would.
//! The original makes at least one for each entry of each object at each refresh. Lockstep makes one for
//! all objects that share a read, at the shortest of their intervals. Pure.

use std::collections::BTreeMap;
use std::time::Duration;

use lockstep_remote::GroupKey;
use serde::Serialize;

/// What one object reads at each refresh.
pub(super) struct Reads {
    pub(super) interval: Duration,
    /// How many entries read.
    pub(super) entries: usize,
    /// The reads it shares with others; empty where it cannot.
    pub(super) groups: Vec<GroupKey>,
}

/// Calls an hour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Savings {
    /// At least so many of the original.
    pub(super) original_an_hour: f64,
    /// So many of ours.
    pub(super) lockstep_an_hour: f64,
}

impl Savings {
    /// Calls that are saved an hour.
    pub(super) fn saved(&self) -> f64 {
        (self.original_an_hour - self.lockstep_an_hour).max(0.0)
    }

    /// The share that is saved, from 0 to 100.
    pub(super) fn percent(&self) -> f64 {
        if self.original_an_hour > 0.0 {
            100.0 * self.saved() / self.original_an_hour
        } else {
            0.0
        }
    }
}

/// The calls for all objects.
pub(super) fn savings(objects: &[Reads]) -> Savings {
    let an_hour = |interval: Duration| 3_600.0 / interval.as_secs_f64().max(1.0);
    let mut savings = Savings::default();
    let mut shared: BTreeMap<&GroupKey, Duration> = BTreeMap::new();
    for object in objects {
        let reads = f64::from(u32::try_from(object.entries).unwrap_or(u32::MAX));
        savings.original_an_hour += reads * an_hour(object.interval);
        if object.groups.is_empty() {
            savings.lockstep_an_hour += reads * an_hour(object.interval);
        }
        for group in &object.groups {
            let shortest = shared.entry(group).or_insert(object.interval);
            *shortest = (*shortest).min(object.interval);
        }
    }
    savings.lockstep_an_hour += shared.into_values().map(an_hour).sum::<f64>();
    savings
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lockstep_plan::StoreKey;
    use lockstep_plan::external_secret::Read;
    use lockstep_provider_api::RemoteRef;
    use lockstep_remote::StoreIdentity;

    use super::*;

    fn group(key: &str) -> GroupKey {
        GroupKey {
            identity: Arc::new(StoreIdentity {
                store: StoreKey::cluster("s"),
                uid: String::new(),
                generation: 1,
            }),
            caller: None,
            read: Read::Value(RemoteRef::key(key)),
        }
    }

    fn reads(minutes: u64, keys: &[&str]) -> Reads {
        Reads {
            interval: Duration::from_mins(minutes),
            entries: keys.len(),
            groups: keys.iter().map(|key| group(key)).collect(),
        }
    }

    #[test]
    fn a_read_that_objects_share_is_made_once_at_the_shortest_interval() {
        let saved = savings(&[reads(60, &["a"]), reads(30, &["a"]), reads(60, &["a", "b"])]);

        let told = (
            saved.original_an_hour,
            saved.lockstep_an_hour,
            saved.percent(),
        );
        assert_eq!(format!("{told:?}"), "(5.0, 3.0, 40.0)");
    }

    #[test]
    fn what_cannot_be_shared_saves_nothing() {
        let alone = Reads {
            groups: Vec::new(),
            ..reads(60, &["a", "b"])
        };

        assert_eq!(format!("{:?}", savings(&[alone]).saved()), "0.0");
    }
}
