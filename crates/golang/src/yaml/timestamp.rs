//! Whether a text is one of the timestamps the Go library knows.
//!
//! Nothing is computed from it: a timestamp stays the text it is.

/// A date, or a date and time separated by `T`, `t` or a space.
pub(super) fn is_timestamp(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits != 4 {
        return false;
    }
    let mut reader = Reader(text.as_bytes());
    let Some(year) = reader.number(4, 4) else {
        return false;
    };
    let date = || -> Option<()> {
        reader.byte(b"-")?;
        let month = reader
            .number(1, 2)
            .filter(|month| (1..=12).contains(month))?;
        reader.byte(b"-")?;
        reader
            .number(1, 2)
            .filter(|day| (1..=days(year, month)).contains(day))?;
        if reader.0.is_empty() {
            return Some(());
        }
        let separator = reader.byte(b"Tt ")?;
        reader.time()?;
        if separator != b' ' {
            reader.zone()?;
        }
        reader.0.is_empty().then_some(())
    };
    let mut date = date;
    date().is_some()
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

struct Reader<'t>(&'t [u8]);

impl Reader<'_> {
    fn byte(&mut self, allowed: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        allowed.contains(first).then_some(*first)
    }

    fn number(&mut self, min: usize, max: usize) -> Option<u32> {
        let count = self
            .0
            .iter()
            .take(max)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let value = digits
            .iter()
            .fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
        (count >= min).then_some(value)
    }

    fn time(&mut self) -> Option<()> {
        self.number(1, 2).filter(|hour| *hour < 24)?;
        self.byte(b":")?;
        self.number(1, 2).filter(|minute| *minute < 60)?;
        self.byte(b":")?;
        self.number(1, 2).filter(|second| *second < 60)?;
        if matches!(self.0, [b'.' | b',', b'0'..=b'9', ..]) {
            self.byte(b".,")?;
            let count = self
                .0
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            self.0 = &self.0[count..];
        }
        Some(())
    }

    fn zone(&mut self) -> Option<()> {
        if self.byte(b"Z+-")? == b'Z' {
            return Some(());
        }
        self.number(2, 2).filter(|hour| *hour <= 24)?;
        self.byte(b":")?;
        self.number(2, 2).filter(|minute| *minute < 60)?;
        Some(())
    }
}
