//! The ExternalSecrets: what each reads, how often, and what its status says. Status survives a
//! restart; everything else of an object does not.

use crate::remote::{MINUTE, Remote, SECOND};

/// Most keys of one object.
const MOST_KEYS: usize = 3;

/// One ExternalSecret, in one line of a processor's cache: a million of them are visited in no order.
#[derive(Clone)]
#[repr(align(64))]
pub(crate) struct Object {
    keys: [u32; MOST_KEYS],
    /// Versions in its Secret.
    pub(crate) seen: [u32; MOST_KEYS],
    /// Interval in milliseconds.
    interval: u32,
    /// `status.refreshTime`.
    noted: i64,
    /// The last refresh that memory knew of.
    pub(crate) refreshed: i64,
    /// Answers to reads that began earlier do not count.
    pub(crate) asked: i64,
    pub(crate) input_changed: bool,
    pub(crate) ready: bool,
    count: u8,
}

/// What `noted` is before the first sync.
const NEVER: i64 = i64::MIN;

pub(crate) struct Fleet {
    pub(crate) objects: Vec<Object>,
}

impl Fleet {
    /// Objects with one to three keys of one store. Whoever reads one of the 1 % hot keys first
    /// refreshes every minute, 4 % of the keys every ten minutes, the others hourly.
    pub(crate) fn new(objects: u32, remote: &Remote) -> Self {
        let stores = u32::try_from(remote.stores.len()).unwrap_or(1);
        let keys = u32::try_from(remote.keys.len()).unwrap_or(1);
        let objects = (0..objects).map(|_| {
            let first = fastrand::u32(0..keys);
            let wanted = fastrand::u32(1..=3);
            let wanted = (0..wanted)
                .map(|step| (first + step * stores) % keys.max(1))
                .filter(|key| {
                    remote.keys[*key as usize].store == remote.keys[first as usize].store
                });
            let (mut keys, mut count) = ([first; MOST_KEYS], 0_u8);
            for (place, key) in keys.iter_mut().zip(wanted) {
                (*place, count) = (key, count + 1);
            }
            let interval = match first % 100 {
                0 => MINUTE,
                1..=4 => 10 * MINUTE,
                _ => 60 * MINUTE,
            };
            Object {
                seen: [u32::MAX; MOST_KEYS],
                keys,
                count,
                interval: u32::try_from(interval).unwrap_or(u32::MAX),
                noted: NEVER,
                refreshed: 0,
                asked: 0,
                input_changed: false,
                ready: false,
            }
        });
        Self {
            objects: objects.collect(),
        }
    }
}

impl Object {
    /// Interval in milliseconds.
    pub(crate) fn interval(&self) -> i64 {
        self.interval.into()
    }

    /// `status.refreshTime`; `None` before the first sync.
    pub(crate) fn noted(&self) -> Option<i64> {
        (self.noted != NEVER).then_some(self.noted)
    }

    /// Writes `status.refreshTime`.
    pub(crate) fn note(&mut self, refreshed: i64) {
        self.noted = refreshed;
    }

    /// The remote secrets it reads.
    pub(crate) fn keys(&self) -> &[u32] {
        &self.keys[..usize::from(self.count)]
    }

    /// When the object looks at itself next, to note what shared reads did: the program's rule.
    pub(crate) fn note_at(&self, refreshed: i64, share: f64) -> i64 {
        let floor = 10 * MINUTE;
        let interval = self.interval();
        let nine_tenths = interval / 10 * 9;
        let period = if nine_tenths >= floor {
            nine_tenths
        } else {
            floor + part(floor, share)
        };
        let due = self.noted().unwrap_or(refreshed) + period;
        let refreshed_by = interval + interval / 4 + part(interval, 0.15 * share);
        due.max(refreshed + refreshed_by + 5 * SECOND)
    }
}

/// A share of a span.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "spans are far below 2^52 milliseconds"
)]
pub(crate) fn part(span: i64, share: f64) -> i64 {
    (span as f64 * share) as i64
}
