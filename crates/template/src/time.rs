//! Go's `time.Time` without a clock: instants in a zone, their calendar, and arithmetic.
//!
//! Formatting and parsing by reference layouts are in `time::format` and `time::parse`. There is no
//! local zone: upstream's containers run in UTC, and so does this.

mod civil;
mod format;
mod layout;
mod parse;
mod zone;

use std::fmt;

use lockstep_golang::duration::Duration;

pub(crate) use civil::{month_name, weekday_name};
pub(crate) use parse::{Cause, ParseError, quote};
pub(crate) use zone::Zone;

const NANOS: i64 = 1_000_000_000;

/// An instant, and the zone its calendar is read in.
#[derive(Debug, Clone)]
pub(crate) struct Time {
    /// Seconds since 1970.
    seconds: i64,
    nanos: u32,
    zone: Zone,
}

/// A point of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Calendar {
    pub(crate) year: i64,
    pub(crate) month: u8,
    pub(crate) day: u8,
    pub(crate) hour: u8,
    pub(crate) minute: u8,
    pub(crate) second: u8,
    /// Counted from one.
    pub(crate) year_day: u16,
    /// Sunday is zero.
    pub(crate) weekday: u8,
}

impl Time {
    pub(crate) fn unix(seconds: i64, nanos: u32) -> Self {
        Self {
            seconds,
            nanos,
            zone: Zone::Local,
        }
    }

    pub(crate) fn from_timestamp(now: jiff::Timestamp) -> Self {
        let nanos = now.as_nanosecond();
        let seconds = nanos.div_euclid(i128::from(NANOS));
        let rest = nanos.rem_euclid(i128::from(NANOS));
        Self::unix(
            i64::try_from(seconds).unwrap_or(0),
            u32::try_from(rest).unwrap_or(0),
        )
    }

    /// Go's zero time, the first of January of the year one.
    pub(crate) fn zero() -> Self {
        let seconds = civil::days_from_civil(1, 1, 1) * 86_400;
        Self {
            seconds,
            nanos: 0,
            zone: Zone::Utc,
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.seconds == Self::zero().seconds && self.nanos == 0
    }

    pub(crate) fn seconds(&self) -> i64 {
        self.seconds
    }

    pub(crate) fn nanos(&self) -> u32 {
        self.nanos
    }

    pub(crate) fn zone(&self) -> &Zone {
        &self.zone
    }

    pub(crate) fn in_zone(&self, zone: Zone) -> Self {
        Self { zone, ..*self }
    }

    /// Nanoseconds since 1970; not bounded to 64 bits.
    pub(crate) fn total_nanos(&self) -> i128 {
        i128::from(self.seconds) * i128::from(NANOS) + i128::from(self.nanos)
    }

    pub(crate) fn add(&self, span: Duration) -> Self {
        let nanos = i64::from(self.nanos) + span.as_nanos() % NANOS;
        let seconds = self.seconds.wrapping_add(span.as_nanos() / NANOS);
        Self {
            seconds: seconds.wrapping_add(nanos.div_euclid(NANOS)),
            nanos: u32::try_from(nanos.rem_euclid(NANOS)).unwrap_or(0),
            zone: self.zone.clone(),
        }
    }

    /// The span from `earlier` to this, saturating.
    pub(crate) fn since(&self, earlier: &Self) -> Duration {
        let nanos = self.total_nanos() - earlier.total_nanos();
        let bound = if nanos < 0 { i64::MIN } else { i64::MAX };
        Duration::from_nanos(i64::try_from(nanos).unwrap_or(bound))
    }

    /// The calendar in the zone of this time.
    pub(crate) fn calendar(&self) -> Calendar {
        let (offset, _) = self.zone.at(self.seconds);
        civil::calendar(self.seconds.wrapping_add(i64::from(offset)))
    }

    /// The time of a calendar date, out-of-range parts carrying over as in Go's `time.Date`.
    pub(crate) fn from_civil(date: [i64; 3], clock: [i64; 3], nanos: u32, zone: Zone) -> Self {
        let [year, month, day] = date;
        let [hour, minute, second] = clock;
        let months = year.wrapping_mul(12).wrapping_add(month.wrapping_sub(1));
        let first = civil::days_from_civil(months.div_euclid(12), months.rem_euclid(12) + 1, 1);
        let days = first.wrapping_add(day.wrapping_sub(1));
        let local = days
            .wrapping_mul(86_400)
            .wrapping_add(hour.wrapping_mul(3600) + minute.wrapping_mul(60) + second);
        let (offset, _) = zone.at(local);
        // The offset may be another one at the instant it leads to; one more look settles it.
        let (offset, _) = zone.at(local.wrapping_sub(i64::from(offset)));
        Self {
            seconds: local.wrapping_sub(i64::from(offset)),
            nanos,
            zone,
        }
    }

    pub(crate) fn add_date(&self, years: i64, months: i64, days: i64) -> Self {
        let c = self.calendar();
        let date = [
            c.year.wrapping_add(years),
            i64::from(c.month).wrapping_add(months),
            i64::from(c.day).wrapping_add(days),
        ];
        let clock = [c.hour, c.minute, c.second].map(i64::from);
        Self::from_civil(date, clock, self.nanos, self.zone.clone())
    }

    /// What is left of this time, counted from Go's zero time, after whole spans of `unit`.
    pub(crate) fn remainder(&self, unit: Duration) -> Duration {
        let unit = i128::from(unit.as_nanos());
        let rest = (self.total_nanos() - Self::zero().total_nanos()).rem_euclid(unit);
        Duration::from_nanos(i64::try_from(rest).unwrap_or(0))
    }

    /// `time.Date(2023, time.November, …)`, as `%#v` prints it.
    pub(crate) fn go_string(&self) -> String {
        let c = self.calendar();
        let month = month_name(c.month);
        let zone = match &self.zone {
            Zone::Utc => "time.UTC".to_owned(),
            Zone::Local => "time.Local".to_owned(),
            zone => format!(
                "time.Location({})",
                crate::strconv::quote(zone.name().as_bytes())
            ),
        };
        format!(
            "time.Date({}, time.{month}, {}, {}, {}, {}, {}, {zone})",
            c.year, c.day, c.hour, c.minute, c.second, self.nanos
        )
    }
}

impl fmt::Display for Time {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.format(b"2006-01-02 15:04:05.999999999 -0700 MST");
        out.write_str(&String::from_utf8_lossy(&text))
    }
}

#[cfg(test)]
mod tests;
