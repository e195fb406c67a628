//! The other side: remote secrets that change, and stores with a rate limit and outages. What they
//! answer depends on time and chance only.

/// Milliseconds of one second, minute and hour.
pub(crate) const SECOND: i64 = 1_000;
pub(crate) const MINUTE: i64 = 60 * SECOND;
pub(crate) const HOUR: i64 = 60 * MINUTE;

/// A remote secret.
#[derive(Clone, Default)]
pub(crate) struct Key {
    pub(crate) store: u16,
    pub(crate) version: u32,
    pub(crate) changed_at: i64,
}

/// A store: how many calls a second it takes, and when it is down.
pub(crate) struct Store {
    rate: f64,
    tokens: f64,
    refilled: i64,
    outages: Vec<(i64, i64)>,
    pub(crate) reads: u64,
    pub(crate) throttled: u64,
    pub(crate) unreachable: u64,
    second: (i64, u32),
    pub(crate) busiest: u32,
}

/// What a store says to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Says {
    Answer,
    Throttled,
    Nothing,
}

pub(crate) struct Remote {
    pub(crate) keys: Vec<Key>,
    pub(crate) stores: Vec<Store>,
}

impl Remote {
    pub(crate) fn new(keys: u32, stores: u16, hours: u32) -> Self {
        let keys = (0..keys).map(|number| Key {
            store: u16::try_from(number % u32::from(stores)).unwrap_or(0),
            ..Key::default()
        });
        Self {
            keys: keys.collect(),
            stores: (0..stores)
                .map(|number| Store::new(number, hours))
                .collect(),
        }
    }

    /// A key changes; returns when the next change of any key comes.
    pub(crate) fn change(&mut self, now: i64) -> i64 {
        let at = fastrand::usize(..self.keys.len());
        self.keys[at].version += 1;
        self.keys[at].changed_at = now;
        // Every key changes once in eight hours on average.
        let mean = 8 * HOUR / i64::try_from(self.keys.len()).unwrap_or(1).max(1);
        now + fastrand::i64(0..=2 * mean.max(1))
    }
}

impl Store {
    /// Every fourth store allows fewer calls; each has an outage of some minutes every six hours.
    fn new(number: u16, hours: u32) -> Self {
        let rate = if number % 4 == 3 { 25.0 } else { 200.0 };
        let outages = (0..hours.div_ceil(6)).map(|turn| {
            let start = i64::from(turn) * 6 * HOUR + fastrand::i64(HOUR..6 * HOUR);
            (start, start + fastrand::i64(MINUTE..10 * MINUTE))
        });
        Self {
            rate,
            tokens: rate,
            refilled: 0,
            outages: outages.collect(),
            reads: 0,
            throttled: 0,
            unreachable: 0,
            second: (0, 0),
            busiest: 0,
        }
    }

    /// What it says to a call now.
    pub(crate) fn call(&mut self, now: i64) -> Says {
        self.count(now);
        if self
            .outages
            .iter()
            .any(|(from, to)| (*from..*to).contains(&now))
        {
            self.unreachable += 1;
            return Says::Nothing;
        }
        let passed = f64::from(i32::try_from(now - self.refilled).unwrap_or(i32::MAX)) / 1_000.0;
        self.refilled = now;
        self.tokens = (self.tokens + passed * self.rate).min(self.rate);
        if self.tokens < 1.0 {
            self.throttled += 1;
            return Says::Throttled;
        }
        self.tokens -= 1.0;
        Says::Answer
    }

    fn count(&mut self, now: i64) {
        self.reads += 1;
        let second = now / SECOND;
        if self.second.0 != second {
            self.second = (second, 0);
        }
        self.second.1 += 1;
        self.busiest = self.busiest.max(self.second.1);
    }
}
