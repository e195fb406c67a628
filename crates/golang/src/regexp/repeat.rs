//! Repetition operators and Go's limits on them.

use super::item::Repeat;
use super::parse::Parser;
use super::{Error, Problem};

impl Parser<'_> {
    /// A repetition operator of `length` bytes.
    pub(super) fn repeat(
        &mut self,
        length: usize,
        (min, max): (u32, Option<u32>),
        counted: bool,
        repeated: Option<usize>,
    ) -> Result<(), Error> {
        let start = self.at;
        self.at += length;
        let mut greedy = !self.flags.ungreedy;
        if self.rest().first() == Some(&b'?') {
            self.at += 1;
            greedy = !greedy;
        }
        if let Some(first) = repeated {
            return self.refuse(Problem::RepeatOp, first, self.at);
        }
        let Some(item) = self.groups.last_mut().and_then(|group| group.current.pop()) else {
            return self.refuse(Problem::MissingRepeatArgument, start, self.at);
        };
        let item = item.repeated(Repeat {
            min,
            max,
            greedy,
            counted,
        });
        self.check(&item)?;
        if counted && (min >= 2 || max.is_some_and(|max| max >= 2)) && item.repeats_too_often() {
            return self.refuse(Problem::RepeatSize, start, self.at);
        }
        self.last_repeat = Some(start);
        self.push(item)
    }

    pub(super) fn counted_repeat(&mut self, repeated: Option<usize>) -> Result<(), Error> {
        let Some((min, max, length)) = parse_counts(self.rest()) else {
            self.at += 1;
            return self.push_literal(u32::from('{'));
        };
        if min > 1_000 || max.is_some_and(|max| max > 1_000 || max < min) {
            return self.refuse(Problem::RepeatSize, self.at, self.at + length);
        }
        self.repeat(length, (min, max), true, repeated)
    }
}

/// `{min}`, `{min,}` or `{min,max}`, and its length; counts beyond all limits come out as the
/// largest number.
fn parse_counts(text: &[u8]) -> Option<(u32, Option<u32>, usize)> {
    let (min, mut at) = parse_count(text, 1)?;
    let mut max = Some(min);
    if text.get(at) == Some(&b',') {
        at += 1;
        max = None;
        if text.get(at) != Some(&b'}') {
            let (count, end) = parse_count(text, at)?;
            (max, at) = (Some(count), end);
        }
    }
    (text.get(at) == Some(&b'}')).then_some((min, max, at + 1))
}

/// The count at a position and the position behind it; leading zeros are not allowed.
fn parse_count(text: &[u8], at: usize) -> Option<(u32, usize)> {
    let digits = text[at..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let count = &text[at..at + digits];
    if digits == 0 || (digits > 1 && count[0] == b'0') {
        return None;
    }
    let value = std::str::from_utf8(count).ok()?.parse().unwrap_or(u32::MAX);
    Some((value, at + digits))
}
