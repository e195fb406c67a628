//! Go's layouts: the reference time `Mon Jan 2 15:04:05 MST 2006`, cut into elements.

/// An element of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Std {
    LongMonth,
    Month,
    NumMonth,
    ZeroMonth,
    LongWeekDay,
    WeekDay,
    Day,
    UnderDay,
    ZeroDay,
    UnderYearDay,
    ZeroYearDay,
    Hour,
    Hour12,
    ZeroHour12,
    Minute,
    ZeroMinute,
    Second,
    ZeroSecond,
    LongYear,
    Year,
    UpperPm,
    LowerPm,
    ZoneName,
    Offset(Offset),
    /// `.000`: the separator and that many digits.
    Fraction {
        separator: u8,
        digits: usize,
    },
    /// `.999`: as above, without trailing zeros.
    TrimmedFraction {
        separator: u8,
        digits: usize,
    },
}

/// A numeric zone such as `-07:00`.
#[expect(
    clippy::struct_excessive_bools,
    reason = "the notation has that many choices"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offset {
    /// Written with `Z`: a zero offset is the letter.
    pub(super) iso: bool,
    pub(super) colon: bool,
    pub(super) minutes: bool,
    pub(super) seconds: bool,
}

/// The text before the first element, the element, and the text after it.
pub(super) fn next(layout: &[u8]) -> (&[u8], Option<Std>, &[u8]) {
    for at in 0..layout.len() {
        if let Some((skip, std, len)) = element(&layout[at..]) {
            return (&layout[..at + skip], Some(std), &layout[at + skip + len..]);
        }
    }
    (layout, None, &[])
}

/// The element at the start of `text`: bytes to keep before it, what it is, how long it is.
fn element(text: &[u8]) -> Option<(usize, Std, usize)> {
    let found = |std, len| Some((0, std, len));
    match text {
        [b'J', ..] if text.starts_with(b"January") => found(Std::LongMonth, 7),
        [b'J', ..] if is_word(text, b"Jan") => found(Std::Month, 3),
        [b'M', ..] if text.starts_with(b"Monday") => found(Std::LongWeekDay, 6),
        [b'M', ..] if is_word(text, b"Mon") => found(Std::WeekDay, 3),
        [b'M', b'S', b'T', ..] => found(Std::ZoneName, 3),
        [b'0', b'1', ..] => found(Std::ZeroMonth, 2),
        [b'0', b'2', ..] => found(Std::ZeroDay, 2),
        [b'0', b'3', ..] => found(Std::ZeroHour12, 2),
        [b'0', b'4', ..] => found(Std::ZeroMinute, 2),
        [b'0', b'5', ..] => found(Std::ZeroSecond, 2),
        [b'0', b'6', ..] => found(Std::Year, 2),
        [b'0', b'0', b'2', ..] => found(Std::ZeroYearDay, 3),
        [b'1', b'5', ..] => found(Std::Hour, 2),
        [b'1', ..] => found(Std::NumMonth, 1),
        [b'2', b'0', b'0', b'6', ..] => found(Std::LongYear, 4),
        [b'2', ..] => found(Std::Day, 1),
        [b'_', b'2', b'0', b'0', b'6', ..] => Some((1, Std::LongYear, 4)),
        [b'_', b'2', ..] => found(Std::UnderDay, 2),
        [b'_', b'_', b'2', ..] => found(Std::UnderYearDay, 3),
        [b'3', ..] => found(Std::Hour12, 1),
        [b'4', ..] => found(Std::Minute, 1),
        [b'5', ..] => found(Std::Second, 1),
        [b'P', b'M', ..] => found(Std::UpperPm, 2),
        [b'p', b'm', ..] => found(Std::LowerPm, 2),
        [b'-' | b'Z', ..] => offset(text),
        [b'.' | b',', b'0' | b'9', ..] => fraction(text),
        _ => None,
    }
}

/// Whether `word` stands here and is not the beginning of a longer lower-case word.
fn is_word(text: &[u8], word: &[u8]) -> bool {
    text.strip_prefix(word)
        .is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_lowercase))
}

fn offset(text: &[u8]) -> Option<(usize, Std, usize)> {
    let iso = text[0] == b'Z';
    let forms: [(&[u8], bool, bool, bool); 5] = [
        (b"070000", false, true, true),
        (b"07:00:00", true, true, true),
        (b"0700", false, true, false),
        (b"07:00", true, true, false),
        (b"07", false, false, false),
    ];
    forms
        .iter()
        .find(|form| text[1..].starts_with(form.0))
        .map(|form| {
            let (digits, colon, minutes, seconds) = *form;
            (
                0,
                Std::Offset(Offset {
                    iso,
                    colon,
                    minutes,
                    seconds,
                }),
                digits.len() + 1,
            )
        })
}

fn fraction(text: &[u8]) -> Option<(usize, Std, usize)> {
    let digit = text[1];
    let digits = text[1..].iter().take_while(|b| **b == digit).count();
    if text.get(1 + digits).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let separator = text[0];
    let std = match digit {
        b'0' => Std::Fraction { separator, digits },
        _ => Std::TrimmedFraction { separator, digits },
    };
    Some((0, std, digits + 1))
}
