//! The proleptic Gregorian calendar.

use super::Calendar;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

/// The name of a month, counted from one; Go has a notation for numbers that are none.
pub(crate) fn month_name(month: u8) -> String {
    match usize::from(month)
        .checked_sub(1)
        .and_then(|at| MONTHS.get(at))
    {
        Some(name) => (*name).to_owned(),
        None => format!("%!Month({month})"),
    }
}

/// The name of a weekday, Sunday being zero.
pub(crate) fn weekday_name(day: u8) -> &'static str {
    WEEKDAYS[usize::from(day) % 7]
}

pub(super) fn months() -> &'static [&'static str; 12] {
    &MONTHS
}

pub(super) fn weekdays() -> &'static [&'static str; 7] {
    &WEEKDAYS
}

pub(super) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub(super) fn days_in(month: i64, year: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970 of a date whose month is 1 to 12.
pub(super) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin in March put the leap day last.
    let year = if month <= 2 {
        year.wrapping_sub(1)
    } else {
        year
    };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era.wrapping_mul(146_097)
        .wrapping_add(day_of_era)
        .wrapping_sub(719_468)
}

/// The calendar of a number of seconds since 1970, zone already added.
pub(super) fn calendar(seconds: i64) -> Calendar {
    let days = seconds.div_euclid(86_400);
    let clock = seconds.rem_euclid(86_400);
    let shifted = days.wrapping_add(719_468);
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let year_day = days - days_from_civil(year, 1, 1) + 1;
    Calendar {
        year,
        month: small(month),
        day: small(day),
        hour: small(clock / 3600),
        minute: small(clock / 60 % 60),
        second: small(clock % 60),
        year_day: u16::try_from(year_day).unwrap_or(1),
        weekday: small((days + 4).rem_euclid(7)),
    }
}

fn small(n: i64) -> u8 {
    u8::try_from(n).unwrap_or(0)
}
