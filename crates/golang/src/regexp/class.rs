//! Classes in brackets, and the named ASCII classes of Perl and POSIX.

use super::charset::CharSet;
use super::parse::{MAX_RANGES, next_char};
use super::{Error, Problem, escape, property};

type Ranges = &'static [(u32, u32)];

const DIGIT: Ranges = &[(0x30, 0x39)];
const SPACE: Ranges = &[(0x9, 0xa), (0xc, 0xd), (0x20, 0x20)];
const WORD: Ranges = &[(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)];

fn posix(name: &[u8]) -> Option<Ranges> {
    Some(match name {
        b"alnum" => &[(0x30, 0x39), (0x41, 0x5a), (0x61, 0x7a)],
        b"alpha" => &[(0x41, 0x5a), (0x61, 0x7a)],
        b"ascii" => &[(0x0, 0x7f)],
        b"blank" => &[(0x9, 0x9), (0x20, 0x20)],
        b"cntrl" => &[(0x0, 0x1f), (0x7f, 0x7f)],
        b"digit" => DIGIT,
        b"graph" => &[(0x21, 0x7e)],
        b"lower" => &[(0x61, 0x7a)],
        b"print" => &[(0x20, 0x7e)],
        b"punct" => &[(0x21, 0x2f), (0x3a, 0x40), (0x5b, 0x60), (0x7b, 0x7e)],
        b"space" => &[(0x9, 0xd), (0x20, 0x20)],
        b"upper" => &[(0x41, 0x5a)],
        b"word" => WORD,
        b"xdigit" => &[(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)],
        _ => return None,
    })
}

/// Parses `\d`, `\s`, `\w` or their negations at the start of a text.
pub(super) fn parse_perl(text: &[u8], fold: bool) -> Option<(CharSet, usize)> {
    let [b'\\', letter, ..] = text else {
        return None;
    };
    let ranges = match letter | 0x20 {
        b'd' => DIGIT,
        b's' => SPACE,
        b'w' => WORD,
        _ => return None,
    };
    Some((group(ranges, letter.is_ascii_uppercase(), fold), 2))
}

fn group(ranges: Ranges, negated: bool, fold: bool) -> CharSet {
    let set = CharSet::from_ranges(ranges.iter().copied());
    let set = if fold { set.folded() } else { set };
    if negated { set.negated() } else { set }
}

/// Parses the class in brackets a text begins with; returns it with its length.
pub(super) fn parse(text: &[u8], fold: bool) -> Result<(CharSet, usize), Error> {
    let mut reader = Reader {
        text,
        at: 1,
        fold,
        ranges: Vec::new(),
        no_more_posix: false,
    };
    let negated = text.get(1) == Some(&b'^');
    reader.at += usize::from(negated);
    let first = reader.at;
    // A bracket closes the class anywhere but in first place.
    while text.get(reader.at) != Some(&b']') || reader.at == first {
        if !reader.group()? {
            reader.range()?;
        }
        if reader.ranges.len() > MAX_RANGES {
            return Err(Error::new(Problem::TooLarge, text));
        }
    }
    // Groups are closed under folding already, so folding them again changes nothing.
    let set = CharSet::from_ranges(reader.ranges);
    let set = if fold { set.folded() } else { set };
    Ok((if negated { set.negated() } else { set }, reader.at + 1))
}

struct Reader<'p> {
    text: &'p [u8],
    at: usize,
    fold: bool,
    ranges: Vec<(u32, u32)>,
    /// No `:]` follows, so that nobody needs to look for it again.
    no_more_posix: bool,
}

impl<'p> Reader<'p> {
    fn rest(&self) -> &'p [u8] {
        &self.text[self.at..]
    }

    /// Reads a named class of any kind, if one stands here.
    fn group(&mut self) -> Result<bool, Error> {
        let rest = self.rest();
        let found = match self.posix()? {
            Some(found) => Some(found),
            None => match property::parse(rest, self.fold)? {
                Some(found) => Some(found),
                None => parse_perl(rest, self.fold),
            },
        };
        let Some((set, length)) = found else {
            return Ok(false);
        };
        self.ranges.extend(set.ranges());
        self.at += length;
        Ok(true)
    }

    /// `[:name:]`, unless that is not what stands here.
    fn posix(&mut self) -> Result<Option<(CharSet, usize)>, Error> {
        let rest = self.rest();
        let Some(inner) = rest.strip_prefix(b"[:").filter(|_| !self.no_more_posix) else {
            return Ok(None);
        };
        let Some(end) = inner.windows(2).position(|pair| pair == b":]") else {
            self.no_more_posix = true;
            return Ok(None);
        };
        let length = end + 4;
        let (negated, name) = match &inner[..end] {
            [b'^', name @ ..] => (true, name),
            name => (false, name),
        };
        match posix(name) {
            Some(ranges) => Ok(Some((group(ranges, negated, self.fold), length))),
            None => Err(Error::new(Problem::CharRange, &rest[..length])),
        }
    }

    /// Reads one character or a range of them.
    fn range(&mut self) -> Result<(), Error> {
        let start = self.at;
        let low = self.char()?;
        let mut high = low;
        if matches!(self.rest(), [b'-', next, ..] if *next != b']') {
            self.at += 1;
            high = self.char()?;
            if high < low {
                return Err(Error::new(Problem::CharRange, &self.text[start..self.at]));
            }
        }
        self.ranges.push((low, high));
        Ok(())
    }

    fn char(&mut self) -> Result<u32, Error> {
        let rest = self.rest();
        let (code, length) = match rest.first() {
            None => return Err(Error::new(Problem::MissingBracket, self.text)),
            Some(b'\\') => escape::parse(rest)?,
            Some(_) => next_char(rest).map(|(c, length)| (u32::from(c), length))?,
        };
        self.at += length;
        Ok(code)
    }
}
