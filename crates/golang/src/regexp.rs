//! Go's `regexp`: its syntax, its refusals and its matching, over bytes.
//!
//! The front end is our own, so that a pattern means here what it means in Go or is refused with
//! Go's text; `regex-automata` does the matching, in time linear in the text for each search.
//! Text need not be UTF-8: as in Go, each illegal byte counts as U+FFFD. Patterns that Go accepts
//! but whose automaton would take more than a few megabytes are refused as too large.

mod alternation;
mod charset;
mod class;
mod error;
mod escape;
mod expand;
mod group;
mod item;
mod parse;
mod property;
mod reach;
mod repeat;
mod search;
mod text;

use std::fmt;

use regex_automata::meta;

pub use error::{Error, Problem};

/// Largest automaton, in bytes, a pattern may need.
const NFA_LIMIT: usize = 4 << 20;

/// A compiled regular expression.
#[derive(Clone)]
pub struct Regexp {
    expression: Vec<u8>,
    engine: meta::Regex,
    /// The most bytes a search reads beyond its match, if that is bounded.
    reach: Option<usize>,
    /// Names of the groups; the first stands for the whole match.
    names: Vec<Option<String>>,
}

impl Regexp {
    /// Compiles a pattern, as `regexp.Compile`.
    pub fn new(pattern: &str) -> Result<Self, Error> {
        Self::from_bytes(pattern.as_bytes())
    }

    /// Compiles a pattern that need not be UTF-8; if it is not, it is refused as Go does.
    pub fn from_bytes(pattern: &[u8]) -> Result<Self, Error> {
        let parsed = parse::parse(pattern)?;
        let config = meta::Config::new()
            .nfa_size_limit(Some(NFA_LIMIT))
            .hybrid_cache_capacity(256 << 10)
            .pool_capacity(4);
        let engine = meta::Builder::new()
            .configure(config)
            .build_from_hir(&parsed.hir)
            .map_err(|_| Error::new(Problem::TooLarge, pattern))?;
        Ok(Self {
            expression: pattern.to_vec(),
            engine,
            reach: reach::reach(&parsed.hir),
            names: parsed.names,
        })
    }

    /// The pattern as given.
    pub fn expression(&self) -> &[u8] {
        &self.expression
    }

    /// Bytes the compiled pattern takes, without what searches keep.
    pub fn memory_usage(&self) -> usize {
        self.engine.memory_usage()
    }

    /// The names of the groups, in order; the first, for the whole match, has none.
    pub fn capture_names(&self) -> &[Option<String>] {
        &self.names
    }
}

/// Whether Go accepts the pattern; cheaper than to compile it.
pub fn check(pattern: &[u8]) -> Result<(), Error> {
    parse::parse(pattern).map(drop)
}

/// Units of work for compiling a pattern, about 20 ns each: more for long patterns and much more for
/// counted repetitions. 2000 at least.
pub fn weight(pattern: &[u8]) -> u64 {
    let mut repeats = 1u64;
    for counted in pattern.split(|b| *b == b'{').skip(1) {
        let digits = counted
            .iter()
            .take_while(|b| b.is_ascii_digit() || **b == b',');
        let number = |n: u64, b: &u8| {
            if *b == b',' {
                0
            } else {
                n * 10 + u64::from(b - b'0')
            }
        };
        // What is larger is no count, or one the parser refuses.
        let count = digits.take(8).fold(0, number);
        repeats = repeats.saturating_add(if count <= 1000 { count } else { 0 });
    }
    (pattern.len() as u64)
        .saturating_mul(repeats)
        .saturating_mul(10)
        .saturating_add(2000)
}

/// Escapes all characters that mean something in a pattern, as `regexp.QuoteMeta`.
pub fn quote_meta(text: impl AsRef<[u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for &byte in text.as_ref() {
        if b"\\.+*?()|[]{}^$".contains(&byte) {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out
}

impl fmt::Debug for Regexp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "Regexp({:?})",
            String::from_utf8_lossy(&self.expression)
        )
    }
}

#[cfg(test)]
mod tests;
