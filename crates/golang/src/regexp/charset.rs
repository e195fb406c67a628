//! Sets of characters, with Go's case folding.

use std::sync::LazyLock;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir};

/// Characters that have case variants in younger Unicode versions, or in special folding, and
/// none in Go 1.26. No other character folds into one of them.
const UNFOLDED: [(char, char); 12] = [
    ('\u{19b}', '\u{19b}'),
    ('\u{264}', '\u{264}'),
    ('\u{390}', '\u{390}'),
    ('\u{3b0}', '\u{3b0}'),
    ('\u{1c89}', '\u{1c8a}'),
    ('\u{1fd3}', '\u{1fd3}'),
    ('\u{1fe3}', '\u{1fe3}'),
    ('\u{a7cb}', '\u{a7cd}'),
    ('\u{a7da}', '\u{a7dc}'),
    ('\u{fb05}', '\u{fb06}'),
    ('\u{10d50}', '\u{10d65}'),
    ('\u{10d70}', '\u{10d85}'),
];

static UNFOLDED_SET: LazyLock<ClassUnicode> =
    LazyLock::new(|| ClassUnicode::new(UNFOLDED.map(|(a, b)| ClassUnicodeRange::new(a, b))));

/// A set of characters.
#[derive(Clone)]
pub(super) struct CharSet(ClassUnicode);

impl CharSet {
    /// The union of ranges of code points; surrogates, which no text contains, are left out.
    pub(super) fn from_ranges(ranges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let parts = ranges.into_iter().flat_map(|(low, high)| {
            [(low, high.min(0xd7ff)), (low.max(0xe000), high)]
                .into_iter()
                .filter_map(|(low, high)| {
                    let range = char::from_u32(low).zip(char::from_u32(high))?;
                    (low <= high).then(|| ClassUnicodeRange::new(range.0, range.1))
                })
        });
        Self(ClassUnicode::new(parts))
    }

    pub(super) fn from_class(class: ClassUnicode) -> Self {
        Self(class)
    }

    pub(super) fn negated(mut self) -> Self {
        // Two ranges that only surrogates keep apart are made one: between them, negation would find
        // a range from the start of the second to the end of the first.
        let has = |c| {
            let mut ranges = self.0.ranges().iter();
            ranges.any(|range| range.start() <= c && c <= range.end())
        };
        if has('\u{d7ff}') && has('\u{e000}') {
            self.0.push(ClassUnicodeRange::new('\u{d7ff}', '\u{e000}'));
        }
        self.0.negate();
        self
    }

    pub(super) fn union(mut self, other: &Self) -> Self {
        self.0.union(&other.0);
        self
    }

    pub(super) fn without(mut self, other: &Self) -> Self {
        self.0.difference(&other.0);
        self
    }

    /// The set with all case variants of its members.
    pub(super) fn folded(self) -> Self {
        let mut variants = self.0.clone();
        variants.difference(&UNFOLDED_SET);
        // Fails only without Unicode tables, which are always built in.
        let _ = variants.try_case_fold_simple();
        variants.union(&self.0);
        Self(variants)
    }

    /// How many ranges the set takes.
    pub(super) fn weight(&self) -> usize {
        self.0.ranges().len()
    }

    pub(super) fn ranges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0
            .ranges()
            .iter()
            .map(|range| (range.start().into(), range.end().into()))
    }

    pub(super) fn into_hir(self) -> Hir {
        Hir::class(Class::Unicode(self.0))
    }
}

impl From<char> for CharSet {
    fn from(c: char) -> Self {
        Self(ClassUnicode::new([ClassUnicodeRange::new(c, c)]))
    }
}
