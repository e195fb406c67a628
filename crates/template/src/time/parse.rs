//! `time.ParseInLocation` in UTC.

use std::sync::Arc;

use super::layout::{self, Offset, Std};
use super::{Time, Zone, civil};

/// Why a text does not fit a layout, in Go's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParseError {
    /// The value and the rest of it that did not fit, both quoted.
    pub(crate) value: String,
    pub(crate) rest: String,
    /// What stands between and after them.
    pub(crate) cause: Cause,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The quoted layout, and the quoted element the rest should have been.
    Mismatch { layout: String, element: String },
    /// Text was left over.
    Extra,
    /// A sentence of its own, such as a month being out of range.
    Message(&'static str),
}

/// What the elements have given so far.
#[derive(Default)]
struct Fields {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    year_day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nanos: i64,
    pm: Option<bool>,
    utc: bool,
    offset: Option<i32>,
    zone_name: Vec<u8>,
}

/// An element did not fit, or held a number that is none of its kind.
enum Bad {
    Text,
    Range(&'static str),
}

type Read<'v, T> = Result<(T, &'v [u8]), Bad>;

impl Time {
    /// Reads `value` in the form the layout shows.
    pub(crate) fn parse(layout: &[u8], value: &[u8]) -> Result<Self, ParseError> {
        let fail = |rest: &[u8], cause| {
            Err(ParseError {
                value: quote(value),
                rest: quote(rest),
                cause,
            })
        };
        let mismatch = |element: &[u8]| Cause::Mismatch {
            layout: quote(layout),
            element: quote(element),
        };
        let mut fields = Fields::default();
        let (mut form, mut rest) = (layout, value);
        loop {
            let (prefix, std, suffix) = layout::next(form);
            let element = &form[prefix.len()..form.len() - suffix.len()];
            rest = match skip(rest, prefix) {
                Ok(rest) => rest,
                Err(rest) => return fail(rest, mismatch(prefix)),
            };
            let Some(std) = std else {
                if !rest.is_empty() {
                    return fail(rest, Cause::Extra);
                }
                break;
            };
            form = suffix;
            match fields.element(std, rest, suffix) {
                Ok(((), after)) => rest = after,
                Err(Bad::Range(what)) => return fail(rest, Cause::Message(what)),
                Err(Bad::Text) => return fail(rest, mismatch(element)),
            }
        }
        match fields.finish() {
            Ok(time) => Ok(time),
            Err(what) => fail(rest, Cause::Message(what)),
        }
    }
}

impl Fields {
    fn element<'v>(&mut self, std: Std, value: &'v [u8], after: &[u8]) -> Read<'v, ()> {
        let rest = match std {
            Std::Year => {
                let (two, rest) = value.split_at_checked(2).ok_or(Bad::Text)?;
                let year = signed_digits(two)?;
                self.year = year + if year >= 69 { 1900 } else { 2000 };
                rest
            }
            Std::LongYear => {
                let (four, rest) = value.split_at_checked(4).ok_or(Bad::Text)?;
                if !four[0].is_ascii_digit() {
                    return Err(Bad::Text);
                }
                self.year = signed_digits(four)?;
                rest
            }
            Std::Month | Std::LongMonth => {
                let (at, rest) = name(value, civil::months(), std == Std::LongMonth)?;
                self.month = Some(at + 1);
                rest
            }
            Std::NumMonth | Std::ZeroMonth => {
                let (month, rest) = number(value, std == Std::ZeroMonth)?;
                self.month = Some(within(month, 1..=12, "month out of range")?);
                rest
            }
            Std::WeekDay | Std::LongWeekDay => {
                name(value, civil::weekdays(), std == Std::LongWeekDay)?.1
            }
            Std::Day | Std::UnderDay | Std::ZeroDay => {
                let value = if std == Std::UnderDay {
                    drop_spaces(value, 1)
                } else {
                    value
                };
                let (day, rest) = number(value, std == Std::ZeroDay)?;
                self.day = Some(day);
                rest
            }
            Std::UnderYearDay | Std::ZeroYearDay => {
                let value = if std == Std::UnderYearDay {
                    drop_spaces(value, 2)
                } else {
                    value
                };
                let (day, rest) = number3(value, std == Std::ZeroYearDay)?;
                self.year_day = Some(day);
                rest
            }
            Std::UpperPm | Std::LowerPm => {
                let (two, rest) = value.split_at_checked(2).ok_or(Bad::Text)?;
                self.pm = Some(match (std, two) {
                    (Std::UpperPm, b"PM") | (Std::LowerPm, b"pm") => true,
                    (Std::UpperPm, b"AM") | (Std::LowerPm, b"am") => false,
                    _ => return Err(Bad::Text),
                });
                rest
            }
            Std::Offset(form) => self.offset(form, value)?,
            Std::ZoneName => self.zone_name(value)?,
            Std::Fraction { digits, .. } => {
                let (text, rest) = value.split_at_checked(digits + 1).ok_or(Bad::Text)?;
                self.nanos = nanoseconds(text)?;
                rest
            }
            Std::TrimmedFraction { .. } => self.fraction(value)?,
            _ => self.clock(std, value, after)?,
        };
        Ok(((), rest))
    }

    fn clock<'v>(&mut self, std: Std, value: &'v [u8], after: &[u8]) -> Result<&'v [u8], Bad> {
        let fixed = matches!(std, Std::ZeroHour12 | Std::ZeroMinute | Std::ZeroSecond);
        let (n, rest) = number(value, fixed)?;
        match std {
            Std::Hour => self.hour = within(n, 0..=23, "hour out of range")?,
            Std::Hour12 | Std::ZeroHour12 => self.hour = within(n, 0..=12, "hour out of range")?,
            Std::Minute | Std::ZeroMinute => {
                self.minute = within(n, 0..=59, "minute out of range")?;
            }
            _ => {
                self.second = within(n, 0..=59, "second out of range")?;
                // A fraction may follow even where the layout has none.
                let planned = matches!(
                    layout::next(after).1,
                    Some(Std::Fraction { .. } | Std::TrimmedFraction { .. })
                );
                if !planned {
                    return self.fraction(rest);
                }
            }
        }
        Ok(rest)
    }

    /// Any number of digits after a separator, or nothing.
    fn fraction<'v>(&mut self, value: &'v [u8]) -> Result<&'v [u8], Bad> {
        let [b'.' | b',', digits @ ..] = value else {
            return Ok(value);
        };
        let len = digits.iter().take_while(|b| b.is_ascii_digit()).count();
        if len == 0 {
            return Ok(value);
        }
        self.nanos = nanoseconds(&value[..=len])?;
        Ok(&value[len + 1..])
    }

    fn offset<'v>(&mut self, form: Offset, value: &'v [u8]) -> Result<&'v [u8], Bad> {
        if form.iso
            && let [b'Z', rest @ ..] = value
        {
            self.utc = true;
            return Ok(rest);
        }
        let parts = 1 + usize::from(form.minutes) + usize::from(form.seconds);
        let separators = if form.colon { parts - 1 } else { 0 };
        let (text, rest) = value
            .split_at_checked(1 + 2 * parts + separators)
            .ok_or(Bad::Text)?;
        let separated = |at: usize| !form.colon || text[3 * at] == b':';
        if !(1..parts).all(separated) {
            return Err(Bad::Text);
        }
        let width = if form.colon { 3 } else { 2 };
        let mut numbers = [0i64; 3];
        let mut readable = true;
        for (at, slot) in numbers.iter_mut().take(parts).enumerate() {
            match number(&text[1 + at * width..3 + at * width], true) {
                Ok((n, _)) if readable => *slot = n,
                _ => readable = false,
            }
        }
        let [hours, minutes, seconds] = numbers;
        // A number out of range is reported before anything else, the last one first.
        within(seconds, 0..=60, "time zone offset second out of range")?;
        within(minutes, 0..=60, "time zone offset minute out of range")?;
        within(hours, 0..=24, "time zone offset hour out of range")?;
        if !readable {
            return Err(Bad::Text);
        }
        let offset = i32::try_from((hours * 60 + minutes) * 60 + seconds).unwrap_or(0);
        self.offset = Some(match text[0] {
            b'+' => offset,
            b'-' => -offset,
            _ => return Err(Bad::Text),
        });
        Ok(rest)
    }

    fn zone_name<'v>(&mut self, value: &'v [u8]) -> Result<&'v [u8], Bad> {
        if let Some(rest) = value.strip_prefix(b"UTC") {
            self.utc = true;
            return Ok(rest);
        }
        let (name, rest) = value.split_at(zone_name_len(value).ok_or(Bad::Text)?);
        self.zone_name = name.to_vec();
        Ok(rest)
    }

    fn finish(mut self) -> Result<Time, &'static str> {
        match self.pm {
            Some(true) if self.hour < 12 => self.hour += 12,
            Some(false) if self.hour == 12 => self.hour = 0,
            _ => {}
        }
        self.settle_year_day()?;
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        if day < 1 || day > civil::days_in(month, self.year) {
            return Err("day out of range");
        }
        let date = [self.year, month, day];
        let clock = [self.hour, self.minute, self.second];
        let nanos = u32::try_from(self.nanos).unwrap_or(0);
        let time = Time::from_civil(date, clock, nanos, Zone::Utc);
        Ok(self.place(time))
    }

    /// A day of the year gives month and day, or must agree with them.
    fn settle_year_day(&mut self) -> Result<(), &'static str> {
        let Some(year_day) = self.year_day else {
            return Ok(());
        };
        let days = if civil::is_leap(self.year) { 366 } else { 365 };
        if !(1..=days).contains(&year_day) {
            return Err("day-of-year out of range");
        }
        let (mut month, mut day) = (1, year_day);
        while day > civil::days_in(month, self.year) {
            day -= civil::days_in(month, self.year);
            month += 1;
        }
        if self.month.is_some_and(|seen| seen != month) {
            return Err("day-of-year does not match month");
        }
        if self.day.is_some_and(|seen| seen != day) {
            return Err("day-of-year does not match day");
        }
        (self.month, self.day) = (Some(month), Some(day));
        Ok(())
    }

    /// Puts a time read as UTC into the zone that was given.
    fn place(&self, time: Time) -> Time {
        let name = String::from_utf8_lossy(&self.zone_name);
        if self.utc {
            return time;
        }
        if let Some(offset) = self.offset {
            let seconds = time.seconds - i64::from(offset);
            let zone = if offset == 0 && (name.is_empty() || name == "UTC") {
                Zone::Local
            } else {
                Zone::Fixed {
                    name: Arc::from(&*name),
                    offset,
                }
            };
            return Time {
                seconds,
                nanos: time.nanos,
                zone,
            };
        }
        if name.is_empty() {
            return time.in_zone(Zone::Local);
        }
        // An unknown name is kept, its offset is not known; but GMT+3 says it.
        let hours = name
            .strip_prefix("GMT")
            .and_then(|hours| hours.parse::<i32>().ok());
        let offset = hours.unwrap_or(0) * 3600;
        time.in_zone(Zone::Fixed {
            name: Arc::from(&*name),
            offset,
        })
    }
}

/// Text of the layout that must stand in the value, runs of spaces counting as one.
fn skip<'v>(mut value: &'v [u8], mut prefix: &[u8]) -> Result<&'v [u8], &'v [u8]> {
    while let Some(&want) = prefix.first() {
        if want == b' ' {
            if value.first().is_some_and(|b| *b != b' ') {
                return Err(value);
            }
            prefix = drop_spaces(prefix, usize::MAX);
            value = drop_spaces(value, usize::MAX);
            continue;
        }
        if value.first() != Some(&want) {
            return Err(value);
        }
        (prefix, value) = (&prefix[1..], &value[1..]);
    }
    Ok(value)
}

fn drop_spaces(text: &[u8], most: usize) -> &[u8] {
    let spaces = text.iter().take_while(|b| **b == b' ').count();
    &text[spaces.min(most)..]
}

fn within(n: i64, range: std::ops::RangeInclusive<i64>, what: &'static str) -> Result<i64, Bad> {
    if range.contains(&n) {
        Ok(n)
    } else {
        Err(Bad::Range(what))
    }
}

/// One or two digits; exactly two if `fixed`.
fn number(value: &[u8], fixed: bool) -> Read<'_, i64> {
    match value {
        [a @ b'0'..=b'9', b @ b'0'..=b'9', rest @ ..] => {
            Ok((i64::from(a - b'0') * 10 + i64::from(b - b'0'), rest))
        }
        [a @ b'0'..=b'9', rest @ ..] if !fixed => Ok((i64::from(a - b'0'), rest)),
        _ => Err(Bad::Text),
    }
}

fn number3(value: &[u8], fixed: bool) -> Read<'_, i64> {
    let len = value
        .iter()
        .take(3)
        .take_while(|b| b.is_ascii_digit())
        .count();
    if len == 0 || fixed && len != 3 {
        return Err(Bad::Text);
    }
    let n = value[..len]
        .iter()
        .fold(0, |n, b| n * 10 + i64::from(b - b'0'));
    Ok((n, &value[len..]))
}

fn signed_digits(text: &[u8]) -> Result<i64, Bad> {
    match text {
        // Go's own reader takes a bare sign for zero.
        [b'+' | b'-'] | [] => Ok(0),
        _ => crate::strconv::parse_int(text, 10).map_err(|_| Bad::Text),
    }
}

/// The position of the name that `value` begins with, in any case.
fn name<'v>(value: &'v [u8], names: &[&str], long: bool) -> Read<'v, i64> {
    for (at, name) in (0i64..).zip(names) {
        let name = if long { name } else { &name[..3] };
        if let Some((head, rest)) = value.split_at_checked(name.len())
            && head.eq_ignore_ascii_case(name.as_bytes())
        {
            return Ok((at, rest));
        }
    }
    Err(Bad::Text)
}

/// `.123` in nanoseconds; digits beyond the ninth are ignored.
fn nanoseconds(text: &[u8]) -> Result<i64, Bad> {
    let [b'.' | b',', digits @ ..] = text else {
        return Err(Bad::Text);
    };
    let digits = &digits[..digits.len().min(9)];
    let n = signed_digits(digits)?;
    if n < 0 {
        return Err(Bad::Range("fractional second out of range"));
    }
    Ok((digits.len()..9).fold(n, |n, _| n * 10))
}

/// How long the zone abbreviation at the start of `value` is.
fn zone_name_len(value: &[u8]) -> Option<usize> {
    if value.len() < 3 {
        return None;
    }
    if value.starts_with(b"ChST") || value.starts_with(b"MeST") {
        return Some(4);
    }
    if let Some(rest) = value.strip_prefix(b"GMT") {
        return Some(3 + signed_offset_len(rest));
    }
    if matches!(value[0], b'+' | b'-') {
        return Some(signed_offset_len(value)).filter(|len| *len > 0);
    }
    match value
        .iter()
        .take(6)
        .take_while(|b| b.is_ascii_uppercase())
        .count()
    {
        3 => Some(3),
        4 if value[3] == b'T' || value.starts_with(b"WITA") => Some(4),
        5 if value[4] == b'T' => Some(5),
        _ => None,
    }
}

/// How long the hour offset `+3` at the start of `value` is; zero if there is none.
fn signed_offset_len(value: &[u8]) -> usize {
    let [b'+' | b'-', digits @ ..] = value else {
        return 0;
    };
    let len = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    match crate::strconv::parse_uint(&digits[..len], 10) {
        Ok(0..=23) => len + 1,
        _ => 0,
    }
}

/// The quoting of Go's time package: what is not printable ASCII as escaped bytes.
pub(crate) fn quote(text: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut out = String::from('"');
    let mut at = 0;
    while at < text.len() {
        let (rune, width) = lockstep_golang::unicode::decode_rune(&text[at..]);
        let bytes = &text[at..at + width];
        if !rune.is_ascii() || rune < ' ' {
            for byte in bytes {
                let _ = write!(out, "\\x{byte:02x}");
            }
        } else {
            if matches!(rune, '"' | '\\') {
                out.push('\\');
            }
            out.push(rune);
        }
        at += width;
    }
    out.push('"');
    out
}
