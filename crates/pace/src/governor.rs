//! How hard one store is pressed. Concurrency grows by one a round of successes and is halved when
//! the backend throttles or does not answer in time; a pause it asks for holds for everyone. When it
//! cannot be reached several times in a row the breaker opens, and from then on one call at a time
//! finds out whether it is back. Decides nothing about what an answer means.

use std::time::Duration;

use jiff::Timestamp;

use crate::moment::{floor, span, timestamp};

#[cfg(test)]
mod tests;

/// Calls at once at the start.
const FIRST: f64 = 32.0;
/// Most calls at once.
const MOST: f64 = 256.0;
/// Calls at once after the store came back: it may still be weak.
const AFTER_OUTAGE: f64 = 8.0;
/// Failures in a row that open the breaker.
const TRIPS: u32 = 3;
/// First and longest time between two probes, and pauses the backend did not put a number on.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);
/// Longest pause that is obeyed.
const LONGEST_TOLD: Duration = Duration::from_hours(1);
/// Many calls in flight fail together; they count as one reason to slow down.
const ONE_CUT: i64 = 1_000;

/// What a caller may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Go ahead, and say how it went with [`Governor::done`].
    Go(Ticket),
    /// All places are taken: ask again when a call has ended.
    Busy,
    /// The backend asked for a pause.
    Throttled(Timestamp),
    /// The breaker is open; the next probe is made then.
    Open(Timestamp),
}

/// One call under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Whether this call finds out if the store is back.
    pub probe: bool,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The backend answered, be it with an error of its own.
    Answered,
    /// It wants fewer calls, and no more before this delay is over.
    Throttled(Option<Duration>),
    /// It could not be reached or did not answer in time.
    Unreachable,
    /// The caller went away; that says nothing.
    Cancelled,
}

/// State of one store.
#[derive(Clone, Debug)]
pub struct Governor {
    limit: f64,
    in_flight: u32,
    paused_until: i64,
    last_cut: i64,
    throttles: u32,
    failures: u32,
    breaker: Breaker,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breaker {
    Closed,
    Open { until: i64, wait: i64 },
    Probing { wait: i64 },
}

impl Default for Governor {
    fn default() -> Self {
        Self {
            limit: FIRST,
            in_flight: 0,
            paused_until: i64::MIN,
            last_cut: i64::MIN,
            throttles: 0,
            failures: 0,
            breaker: Breaker::Closed,
        }
    }
}

impl Governor {
    /// Whether a call may be made now.
    pub fn admit(&mut self, now: Timestamp) -> Admission {
        let now = floor(now);
        match self.breaker {
            Breaker::Open { until, .. } if self.waits(until, now, LONGEST) => {
                return Admission::Open(timestamp(until));
            }
            Breaker::Open { wait, .. } => {
                self.breaker = Breaker::Probing { wait };
                self.in_flight += 1;
                return Admission::Go(Ticket { probe: true });
            }
            Breaker::Probing { wait } => return Admission::Open(timestamp(now + wait)),
            Breaker::Closed => {}
        }
        if self.waits(self.paused_until, now, LONGEST_TOLD) {
            return Admission::Throttled(timestamp(self.paused_until));
        }
        if f64::from(self.in_flight) + 1.0 > self.limit {
            return Admission::Busy;
        }
        self.in_flight += 1;
        Admission::Go(Ticket { probe: false })
    }

    /// Whether a time is still to come; one further off than any wait is a clock that was set back.
    #[expect(clippy::unused_self, reason = "reads as a rule of the governor")]
    fn waits(&self, until: i64, now: i64, longest: Duration) -> bool {
        until > now && until - now <= span(longest)
    }

    /// Notes how a call ended. Returns whether the store has just come back.
    pub fn done(&mut self, ticket: Ticket, ended: Ended, now: Timestamp) -> bool {
        let now = floor(now);
        self.in_flight = self.in_flight.saturating_sub(1);
        match ended {
            Ended::Answered => self.answered(ticket),
            Ended::Throttled(told) => self.throttled(ticket, told, now),
            Ended::Unreachable => {
                self.unreachable(ticket, now);
                false
            }
            Ended::Cancelled => {
                if let (true, Breaker::Probing { wait }) = (ticket.probe, self.breaker) {
                    self.breaker = Breaker::Open { until: now, wait };
                }
                false
            }
        }
    }

    fn answered(&mut self, ticket: Ticket) -> bool {
        if self.breaker != Breaker::Closed && !ticket.probe {
            // It set off before the breaker opened and says nothing about now.
            return false;
        }
        (self.failures, self.throttles) = (0, 0);
        if ticket.probe {
            self.close();
            return true;
        }
        // Room that is not used is no reason for more.
        if f64::from(self.in_flight) + 1.0 >= self.limit / 2.0 {
            self.limit = (self.limit + 1.0 / self.limit).min(MOST);
        }
        false
    }

    fn throttled(&mut self, ticket: Ticket, told: Option<Duration>, now: i64) -> bool {
        let back = ticket.probe;
        if back {
            self.close();
        }
        self.failures = 0;
        if self.cut(now) || told.is_some() {
            let doubled = SHORTEST.saturating_mul(2_u32.saturating_pow(self.throttles));
            let pause = told.unwrap_or(doubled.min(LONGEST)).min(LONGEST_TOLD);
            self.throttles = self.throttles.saturating_add(1);
            self.paused_until = self.paused_until.max(now + span(pause));
        }
        back
    }

    fn unreachable(&mut self, ticket: Ticket, now: i64) {
        self.cut(now);
        self.failures = self.failures.saturating_add(1);
        match self.breaker {
            Breaker::Closed if self.failures >= TRIPS => {
                let wait = span(SHORTEST);
                let until = now + wait;
                self.breaker = Breaker::Open { until, wait };
            }
            Breaker::Probing { wait } if ticket.probe => {
                let wait = (wait * 2).min(span(LONGEST));
                let until = now + wait;
                self.breaker = Breaker::Open { until, wait };
            }
            _ => {}
        }
    }

    /// Halves the limit, at most once a second. Returns whether it did.
    fn cut(&mut self, now: i64) -> bool {
        let recent = now.saturating_sub(self.last_cut);
        if (0..ONE_CUT).contains(&recent) {
            return false;
        }
        self.last_cut = now;
        self.limit = (self.limit / 2.0).max(1.0);
        true
    }

    fn close(&mut self) {
        self.breaker = Breaker::Closed;
        self.failures = 0;
        self.limit = AFTER_OUTAGE;
    }

    /// When the next probe is due, while the breaker is open and none is under way.
    pub fn next_probe(&self) -> Option<Timestamp> {
        match self.breaker {
            Breaker::Open { until, .. } => Some(timestamp(until)),
            _ => None,
        }
    }

    /// Whether the breaker is open.
    pub fn is_open(&self) -> bool {
        self.breaker != Breaker::Closed
    }

    /// Calls at once.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Calls under way.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }
}
