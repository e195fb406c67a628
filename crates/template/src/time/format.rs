//! `Time.Format`

use std::io::Write as _;

use super::layout::{self, Offset, Std};
use super::{Calendar, Time, civil};

impl Time {
    /// The time in the form the layout shows.
    pub(crate) fn format(&self, layout: &[u8]) -> Vec<u8> {
        let (offset, zone) = self.zone.at(self.seconds);
        let calendar = self.calendar();
        let mut out = Vec::with_capacity(layout.len() + 10);
        let mut rest = layout;
        while !rest.is_empty() {
            let (prefix, std, suffix) = layout::next(rest);
            out.extend_from_slice(prefix);
            match std {
                None => break,
                Some(Std::Offset(form)) => write_offset(&mut out, form, offset),
                Some(Std::ZoneName) if zone.is_empty() => {
                    let form = Offset {
                        iso: false,
                        colon: false,
                        minutes: true,
                        seconds: false,
                    };
                    write_offset(&mut out, form, offset);
                }
                Some(Std::ZoneName) => out.extend_from_slice(zone.as_bytes()),
                Some(Std::Fraction { separator, digits }) => {
                    write_fraction(&mut out, self.nanos, separator, digits, false);
                }
                Some(Std::TrimmedFraction { separator, digits }) => {
                    write_fraction(&mut out, self.nanos, separator, digits, true);
                }
                Some(std) => write_calendar(&mut out, std, &calendar),
            }
            rest = suffix;
        }
        out
    }
}

fn write_calendar(out: &mut Vec<u8>, std: Std, c: &Calendar) {
    let hour12 = match c.hour % 12 {
        0 => 12,
        hour => hour,
    };
    let month = civil::months()[usize::from(c.month.saturating_sub(1)) % 12];
    let weekday = civil::weekday_name(c.weekday);
    // Writing to a vector cannot fail.
    let _ = match std {
        Std::Year => write!(out, "{:02}", c.year.unsigned_abs() % 100),
        Std::LongYear if c.year < 0 => write!(out, "-{:04}", c.year.unsigned_abs()),
        Std::LongYear => write!(out, "{:04}", c.year),
        Std::Month => write!(out, "{}", &month[..3]),
        Std::LongMonth => write!(out, "{month}"),
        Std::NumMonth => write!(out, "{}", c.month),
        Std::ZeroMonth => write!(out, "{:02}", c.month),
        Std::WeekDay => write!(out, "{}", &weekday[..3]),
        Std::LongWeekDay => write!(out, "{weekday}"),
        Std::Day => write!(out, "{}", c.day),
        Std::UnderDay => write!(out, "{:2}", c.day),
        Std::ZeroDay => write!(out, "{:02}", c.day),
        Std::UnderYearDay => write!(out, "{:3}", c.year_day),
        Std::ZeroYearDay => write!(out, "{:03}", c.year_day),
        Std::Hour => write!(out, "{:02}", c.hour),
        Std::Hour12 => write!(out, "{hour12}"),
        Std::ZeroHour12 => write!(out, "{hour12:02}"),
        Std::Minute => write!(out, "{}", c.minute),
        Std::ZeroMinute => write!(out, "{:02}", c.minute),
        Std::Second => write!(out, "{}", c.second),
        Std::ZeroSecond => write!(out, "{:02}", c.second),
        Std::UpperPm => write!(out, "{}", if c.hour >= 12 { "PM" } else { "AM" }),
        Std::LowerPm => write!(out, "{}", if c.hour >= 12 { "pm" } else { "am" }),
        _ => Ok(()),
    };
}

fn write_offset(out: &mut Vec<u8>, form: Offset, offset: i32) {
    if form.iso && offset == 0 {
        out.push(b'Z');
        return;
    }
    let minutes = offset / 60;
    out.push(if minutes < 0 { b'-' } else { b'+' });
    let colon = if form.colon { ":" } else { "" };
    let _ = write!(out, "{:02}", minutes.unsigned_abs() / 60);
    if form.minutes {
        let _ = write!(out, "{colon}{:02}", minutes.unsigned_abs() % 60);
    }
    if form.seconds {
        // Go keeps the sign here when less than a minute is negative; offsets have none.
        let _ = write!(out, "{colon}{:02}", offset.unsigned_abs() % 60);
    }
}

fn write_fraction(out: &mut Vec<u8>, nanos: u32, separator: u8, digits: usize, trim: bool) {
    if trim && (digits == 0 || nanos == 0) {
        return;
    }
    let text = format!("{nanos:09}");
    let shown = &text[..digits.min(9)];
    let shown = if trim {
        shown.trim_end_matches('0')
    } else {
        shown
    };
    if trim && shown.is_empty() {
        return;
    }
    out.push(separator);
    out.extend_from_slice(shown.as_bytes());
}
