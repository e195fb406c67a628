//! Go regular expressions as the planner uses them: on names, which are text. Those of tenants take
//! from the budget of their object, in work and in what a replacement may grow to.

use lockstep_golang::regexp::{self, Regexp};
use lockstep_template::{Budget, Limits};

use crate::work::told;

/// Longest expression; Go's own limits are on what it expands to.
const MOST_BYTES: usize = 16 * 1024;

/// What all expressions of one store's conditions may use together: some hundred everyday ones.
pub(crate) fn store_budget() -> Budget {
    Budget::new(Limits {
        steps: 2_000_000,
        memory: 8 << 20,
        ..Limits::default()
    })
}

/// A compiled expression.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(Regexp);

impl Pattern {
    /// Compiles an expression within a budget; the error is Go's text.
    pub(crate) fn compile_within(text: &str, budget: &Budget) -> Result<Self, String> {
        within_length(text)?;
        if let Err(exceeded) = budget.spend(regexp::weight(text.as_bytes()), 0) {
            // A wrong expression is reported first, because that helps more.
            regexp::check(text.as_bytes()).map_err(|error| error.to_string())?;
            return Err(told(exceeded));
        }
        let compiled = Regexp::new(text).map_err(|error| error.to_string())?;
        budget.spend(0, compiled.memory_usage()).map_err(told)?;
        Ok(Self(compiled))
    }

    /// Whether the expression occurs in the text.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text.as_bytes())
    }

    /// Replaces every match within a budget; `$1` and `${name}` stand for groups.
    pub(crate) fn replace_within(
        &self,
        text: &str,
        replacement: &str,
        budget: &Budget,
    ) -> Result<String, String> {
        let weight = regexp::weight(self.0.expression()) / 1000;
        let scan = weight.saturating_mul(1 + count(text.len()) / 64);
        budget.spend(scan, 0).map_err(told)?;
        let mut exceeded = None;
        let matches = self.0.count_matches(text.as_bytes(), |read| {
            exceeded = budget.spend(1 + count(read) / 1024, 0).err();
            exceeded.is_none()
        });
        if let Some(exceeded) = exceeded {
            return Err(told(exceeded));
        }
        let references = replacement.matches('$').count();
        let grown = matches
            .unwrap_or_default()
            .saturating_mul(replacement.len())
            .saturating_add(text.len().saturating_mul(references + 1));
        budget.spend(0, grown).map_err(told)?;
        let replaced = self.0.replace_all(text.as_bytes(), replacement.as_bytes());
        Ok(lockstep_golang::unicode::to_valid_utf8(&replaced))
    }
}

fn within_length(text: &str) -> Result<(), String> {
    if text.len() <= MOST_BYTES {
        return Ok(());
    }
    Err(format!(
        "the expression has {} bytes and may have {MOST_BYTES}",
        text.len()
    ))
}

fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
