//! Cron schedules of five fields, and the descriptors that stand for some of them. Pure date
//! arithmetic in UTC; the search for a firing ends after five years, as it does upstream.

use jiff::civil::{Date, DateTime, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use lockstep_golang::duration::Duration as GoDuration;

use super::field::{DAY, Field, HOUR, MINUTE, MONTH, WEEKDAY};

const YEARS: i16 = 5;

/// When a window opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Five fields.
    Cron(Cron),
    /// `@every`, anchored to nothing.
    Every(SignedDuration),
}

/// Minutes, hours, days, months and weekdays at which a schedule fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cron {
    minute: Field,
    hour: Field,
    day: Field,
    month: Field,
    weekday: Field,
}

/// A schedule that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("schedule cannot be read at {0:?}")]
pub struct ScheduleError(String);

impl ScheduleError {
    pub(super) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl Schedule {
    /// Reads five fields or a descriptor such as `@daily` or `@every 2h`.
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        if let Some(period) = text.strip_prefix("@every ") {
            return Self::every(period).ok_or_else(|| ScheduleError::new(text));
        }
        let fields = match text {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            other => other,
        };
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields.as_slice() else {
            return Err(ScheduleError::new(text));
        };
        Ok(Self::Cron(Cron {
            minute: Field::parse(minute, &MINUTE)?,
            hour: Field::parse(hour, &HOUR)?,
            day: Field::parse(day, &DAY)?,
            month: Field::parse(month, &MONTH)?,
            weekday: Field::parse(weekday, &WEEKDAY)?,
        }))
    }

    /// A fixed period: whole seconds, one at least.
    fn every(text: &str) -> Option<Self> {
        let nanos = GoDuration::parse(text).ok()?.as_nanos();
        Some(Self::Every(SignedDuration::from_secs(
            (nanos / 1_000_000_000).max(1),
        )))
    }

    /// The first firing at `from` or later; `None` when there is none within five years, and for
    /// `@every`, which has no fixed firings.
    pub fn first_at_or_after(&self, from: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Cron(cron) => cron.first_at_or_after(from),
            Self::Every(_) => None,
        }
    }
}

impl Cron {
    fn first_at_or_after(&self, from: Timestamp) -> Option<Timestamp> {
        let fields = [self.minute, self.hour, self.day, self.month, self.weekday];
        if fields.into_iter().any(Field::is_empty) {
            return None;
        }
        let start = TimeZone::UTC.to_datetime(from);
        let whole = start.with().second(0).subsec_nanosecond(0).build().ok()?;
        let mut at = if whole < start {
            whole.checked_add(1.minute()).ok()?
        } else {
            whole
        };
        let last_year = at.year().checked_add(YEARS)?;
        while at.year() <= last_year {
            if !self.month.has(number(at.month())) {
                at = start_of(date(at.year(), at.month(), 1).checked_add(1.month()).ok()?);
            } else if !self.has_day(at.date()) {
                at = start_of(at.date().tomorrow().ok()?);
            } else if !self.hour.has(number(at.hour())) {
                at = at
                    .with()
                    .minute(0)
                    .build()
                    .ok()?
                    .checked_add(1.hour())
                    .ok()?;
            } else if !self.minute.has(number(at.minute())) {
                at = at.checked_add(1.minute()).ok()?;
            } else {
                return TimeZone::UTC.to_timestamp(at).ok();
            }
        }
        None
    }

    /// Day and weekday restrict together while one of them is a star, else either is enough.
    fn has_day(&self, date: Date) -> bool {
        let day = self.day.has(number(date.day()));
        let weekday = self
            .weekday
            .has(number(date.weekday().to_sunday_zero_offset()));
        if self.day.is_star() || self.weekday.is_star() {
            day && weekday
        } else {
            day || weekday
        }
    }
}

fn number(value: i8) -> u32 {
    u32::try_from(value).unwrap_or_default()
}

fn start_of(date: Date) -> DateTime {
    date.to_datetime(jiff::civil::Time::midnight())
}
