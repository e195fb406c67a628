//! Version constraints such as `>=1.2, <2 || ~3.1`.
//!
//! The grammar is a set of regular expressions upstream; here it is read by hand, with the same
//! oddities (a `|` counts as a digit, `=>` and `=<` are operators).

use std::cmp::Ordering;

use super::Version;

/// Groups of alternatives, each of which is a list of conditions.
#[derive(Debug)]
pub(crate) struct Constraints(Vec<Vec<Constraint>>);

/// Why a text is no constraint.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ConstraintError {
    /// The part that is not well formed.
    Improper(String),
    /// Well formed, but its version is none.
    NoVersion,
}

#[derive(Debug)]
struct Constraint {
    op: Op,
    version: Version,
    /// Some part was left open, as in `1.x`.
    dirty: bool,
    minor_dirty: bool,
    patch_dirty: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    TildeOrEqual,
    NotEqual,
    Greater,
    Less,
    GreaterEqual,
    LessEqual,
    Tilde,
    Caret,
}

/// Longest first.
const OPS: [(&str, Op); 12] = [
    ("!=", Op::NotEqual),
    (">=", Op::GreaterEqual),
    ("=>", Op::GreaterEqual),
    ("<=", Op::LessEqual),
    ("=<", Op::LessEqual),
    ("~>", Op::Tilde),
    ("=", Op::TildeOrEqual),
    (">", Op::Greater),
    ("<", Op::Less),
    ("~", Op::Tilde),
    ("^", Op::Caret),
    ("", Op::TildeOrEqual),
];

impl Constraints {
    pub(crate) fn parse(text: &[u8]) -> Result<Self, ConstraintError> {
        let text = String::from_utf8_lossy(text);
        let text = rewrite_ranges(&text);
        text.split("||")
            .map(group)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    pub(crate) fn check(&self, version: &Version) -> bool {
        self.0.iter().any(|group| {
            // Prereleases are looked at only where one is asked for.
            let with_pre = group
                .iter()
                .any(|constraint| !constraint.version.pre.is_empty());
            (version.pre.is_empty() || with_pre) && group.iter().all(|c| c.check(version))
        })
    }
}

fn group(text: &str) -> Result<Vec<Constraint>, ConstraintError> {
    let improper = || ConstraintError::Improper(text.to_owned());
    let mut constraints = Vec::new();
    let mut rest = skip_spaces(text);
    loop {
        let (op, tail) = OPS
            .iter()
            .find_map(|(sign, op)| rest.strip_prefix(sign).map(|tail| (*op, tail)))
            .ok_or_else(improper)?;
        let (parts, tail) = Parts::take(skip_spaces(tail)).ok_or_else(improper)?;
        constraints.push((op, parts));
        let after = skip_spaces(tail);
        rest = match after.strip_prefix(',') {
            _ if after.is_empty() => break,
            Some(more) => skip_spaces(more),
            None if after.len() < tail.len() => after,
            None => return Err(improper()),
        };
    }
    constraints
        .iter()
        .map(|(op, parts)| parts.constraint(*op))
        .collect()
}

fn skip_spaces(text: &str) -> &str {
    text.trim_start_matches(['\t', '\n', '\x0c', '\r', ' '])
}

/// The pieces of a version in a constraint.
#[derive(Default)]
struct Parts<'t> {
    text: &'t str,
    numbers: [&'t str; 3],
    /// With its hyphen.
    pre: &'t str,
}

impl<'t> Parts<'t> {
    /// Splits the version off the start of `text`.
    fn take(text: &'t str) -> Option<(Self, &'t str)> {
        let mut rest = text.strip_prefix('v').unwrap_or(text);
        let mut parts = Self::default();
        for (at, slot) in parts.numbers.iter_mut().enumerate() {
            let body = if at == 0 {
                rest
            } else {
                rest.strip_prefix('.').unwrap_or("")
            };
            let len = body.bytes().take_while(|b| is_number_byte(*b)).count();
            if len == 0 {
                break;
            }
            (*slot, rest) = body.split_at(len);
        }
        if parts.numbers[0].is_empty() {
            return None;
        }
        let (pre, tail) = rest.split_at(dotted_len(rest, '-'));
        let tail = &tail[dotted_len(tail, '+')..];
        parts.pre = pre;
        parts.text = &text[..text.len() - tail.len()];
        Some((parts, tail))
    }

    fn constraint(&self, op: Op) -> Result<Constraint, ConstraintError> {
        let open = |part: &str| matches!(part, "" | "x" | "X" | "*");
        let [major, minor, patch] = self.numbers;
        let pre = self.pre;
        let (mut minor_dirty, mut patch_dirty) = (false, false);
        let text = if open(major) {
            format!("0.0.0{pre}")
        } else if open(minor) {
            minor_dirty = true;
            format!("{major}.0.0{pre}")
        } else if open(patch) {
            patch_dirty = true;
            format!("{major}.{minor}.0{pre}")
        } else {
            self.text.to_owned()
        };
        let version = Version::parse(text.as_bytes()).map_err(|_| ConstraintError::NoVersion)?;
        let dirty = open(major) || minor_dirty || patch_dirty;
        Ok(Constraint {
            op,
            version,
            dirty,
            minor_dirty,
            patch_dirty,
        })
    }
}

fn is_number_byte(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'|' | b'x' | b'X' | b'*')
}

/// The length of a sign followed by dotted identifiers, or zero.
fn dotted_len(text: &str, sign: char) -> usize {
    let Some(mut rest) = text.strip_prefix(sign) else {
        return 0;
    };
    let mut len = 0;
    loop {
        let part = rest
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'-')
            .count();
        if part == 0 {
            return len;
        }
        len = text.len() - rest.len() + part;
        match rest[part..].strip_prefix('.') {
            Some(more) => rest = more,
            None => return len,
        }
    }
}

/// Writes `1.2 - 1.4` as `>= 1.2, <= 1.4 `.
fn rewrite_ranges(text: &str) -> String {
    let mut out = text.to_owned();
    let mut at = 0;
    while at < text.len() {
        match text
            .is_char_boundary(at)
            .then(|| range_at(&text[at..]))
            .flatten()
        {
            None => at += 1,
            Some((low, high, len)) => {
                let rewritten = format!(">= {low}, <= {high} ");
                out = out.replacen(&text[at..at + len], &rewritten, 1);
                at += len;
            }
        }
    }
    out
}

fn range_at(text: &str) -> Option<(&str, &str, usize)> {
    let (low, rest) = Parts::take(skip_spaces(text))?;
    let hyphen = skip_spaces(rest);
    let after = hyphen.strip_prefix('-')?;
    let high = skip_spaces(after);
    if hyphen.len() == rest.len() || high.len() == after.len() {
        return None;
    }
    let (high, rest) = Parts::take(high)?;
    Some((low.text, high.text, text.len() - skip_spaces(rest).len()))
}

impl Constraint {
    fn check(&self, v: &Version) -> bool {
        let c = &self.version;
        match self.op {
            Op::TildeOrEqual if !self.dirty => v.order(c) == Ordering::Equal,
            Op::TildeOrEqual | Op::Tilde => self.tilde(v),
            Op::NotEqual => self.not_equal(v),
            Op::Greater => self.greater(v),
            Op::Less => v.order(c) == Ordering::Less,
            Op::GreaterEqual => v.order(c) != Ordering::Less,
            Op::LessEqual if !self.dirty => v.order(c) != Ordering::Greater,
            Op::LessEqual => {
                v.major < c.major || v.major == c.major && (self.minor_dirty || v.minor <= c.minor)
            }
            Op::Caret => self.caret(v),
        }
    }

    fn not_equal(&self, v: &Version) -> bool {
        let c = &self.version;
        if !self.dirty {
            return v.order(c) != Ordering::Equal;
        }
        if c.major != v.major || c.minor != v.minor && !self.minor_dirty {
            return true;
        }
        if self.minor_dirty {
            return false;
        }
        if self.patch_dirty {
            let pre = !v.pre.is_empty() || !c.pre.is_empty();
            return pre && super::compare_prerelease(&v.pre, &c.pre) != Ordering::Equal;
        }
        c.patch != v.patch || v.order(c) != Ordering::Equal
    }

    fn greater(&self, v: &Version) -> bool {
        let c = &self.version;
        if self.dirty {
            if v.major != c.major {
                return v.major > c.major;
            }
            if self.minor_dirty {
                return false;
            }
            if self.patch_dirty {
                return v.minor > c.minor;
            }
        }
        v.order(c) == Ordering::Greater
    }

    fn tilde(&self, v: &Version) -> bool {
        let c = &self.version;
        if v.order(c) == Ordering::Less {
            return false;
        }
        let zero = c.major == 0 && c.minor == 0 && c.patch == 0;
        if zero && !self.minor_dirty && !self.patch_dirty {
            return true;
        }
        v.major == c.major && (v.minor == c.minor || self.minor_dirty)
    }

    fn caret(&self, v: &Version) -> bool {
        let c = &self.version;
        if v.order(c) == Ordering::Less {
            return false;
        }
        if c.major > 0 || self.minor_dirty {
            return v.major == c.major;
        }
        if v.major > 0 {
            return false;
        }
        if c.minor > 0 || self.patch_dirty {
            return v.minor == c.minor;
        }
        v.minor == 0 && c.patch == v.patch
    }
}
