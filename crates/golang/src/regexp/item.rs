//! A piece of a pattern while it is parsed: its meaning, and what Go's limits need to know of it.

use regex_syntax::hir::{Capture, Hir, Look, Repetition};

use super::alternation;
use super::charset::CharSet;

/// Limit on the height of a syntax tree: less than Go's 1,000, because the engine recurses.
const MAX_HEIGHT: usize = 250;
/// Go's limit on the instructions of a program.
const MAX_SIZE: u64 = (128 << 20) / 40;

/// A parsed piece.
pub(super) struct Item {
    pub(super) hir: Hir,
    height: usize,
    size: u64,
    /// Product of the repetition counts on the most repeated path inside.
    repeats: u64,
}

/// How often, and how eagerly, an item repeats.
#[derive(Clone, Copy)]
pub(super) struct Repeat {
    pub(super) min: u32,
    pub(super) max: Option<u32>,
    pub(super) greedy: bool,
    /// Written with braces, so that limits on counts apply.
    pub(super) counted: bool,
}

impl Item {
    fn leaf(hir: Hir) -> Self {
        Self {
            hir,
            height: 1,
            size: 1,
            repeats: 1,
        }
    }

    pub(super) fn look(look: Look) -> Self {
        Self::leaf(Hir::look(look))
    }

    pub(super) fn set(set: CharSet) -> Self {
        Self::leaf(set.into_hir())
    }

    pub(super) fn repeated(self, repeat: Repeat) -> Self {
        let (min, max) = (u64::from(repeat.min), repeat.max.map(u64::from));
        let size = match (repeat.counted, max) {
            (false, _) => 2 + self.size,
            (true, None) => 2 + min.max(1) * self.size,
            (true, Some(max)) => max.saturating_mul(self.size) + max.saturating_sub(min),
        };
        let repeats = match (repeat.counted, max) {
            (false, _) => self.repeats,
            (true, Some(0)) => 1,
            (true, max) => max.unwrap_or(min).max(1).saturating_mul(self.repeats),
        };
        let Repeat {
            min, max, greedy, ..
        } = repeat;
        let sub = Box::new(self.hir);
        Self {
            hir: Hir::repetition(Repetition {
                min,
                max,
                greedy,
                sub,
            }),
            height: self.height + 1,
            size: size.max(1),
            repeats,
        }
    }

    pub(super) fn captured(self, index: u32) -> Self {
        let capture = Capture {
            index,
            name: None,
            sub: Box::new(self.hir),
        };
        Self {
            hir: Hir::capture(capture),
            height: self.height + 1,
            size: self.size + 2,
            repeats: self.repeats,
        }
    }

    pub(super) fn concat(items: Vec<Self>) -> Self {
        Self::join(items, Hir::concat)
    }

    pub(super) fn alternation(items: Vec<Self>) -> Self {
        Self::join(items, alternation::of)
    }

    fn join(mut items: Vec<Self>, join: fn(Vec<Hir>) -> Hir) -> Self {
        if items.len() == 1
            && let Some(only) = items.pop()
        {
            return only;
        }
        let height = items
            .iter()
            .map(|item| item.height)
            .max()
            .unwrap_or_default();
        let size = items
            .iter()
            .map(|item| item.size)
            .fold(0, u64::saturating_add);
        let repeats = items.iter().map(|item| item.repeats).max().unwrap_or(1);
        let hir = join(items.into_iter().map(|item| item.hir).collect());
        Self {
            hir,
            height: height + 1,
            size: size.max(1),
            repeats,
        }
    }

    /// Whether nested repetitions multiply to more copies than Go allows.
    pub(super) fn repeats_too_often(&self) -> bool {
        self.repeats > 1_000
    }

    pub(super) fn is_too_high(&self) -> bool {
        self.height > MAX_HEIGHT
    }

    pub(super) fn is_too_large(&self) -> bool {
        self.size > MAX_SIZE
    }
}
