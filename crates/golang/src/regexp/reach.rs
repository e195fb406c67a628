//! How far behind the end of a match a search may have read before it knew the match.
//!
//! Finding all matches is linear in the text as long as no search reads much more than it returns.
//! That is known of patterns whose matches are bounded, and of those that end in a repetition of
//! something bounded, which has a match to show after every round.

use regex_syntax::hir::{Hir, HirKind};

/// What is still near; reading further costs more than counting bytes tells, for then there may
/// be as many ways to go on.
const NEAR: usize = 64;

/// The most bytes read beyond a match, or nothing if there may be many.
pub(super) fn reach(hir: &Hir) -> Option<usize> {
    bound(hir).filter(|bytes| *bytes <= NEAR)
}

fn bound(hir: &Hir) -> Option<usize> {
    if let Some(longest) = hir.properties().maximum_len() {
        return Some(longest);
    }
    match hir.kind() {
        HirKind::Capture(group) => bound(&group.sub),
        HirKind::Alternation(branches) => branches
            .iter()
            .map(bound)
            .try_fold(0, |most, bytes| Some(most.max(bytes?))),
        HirKind::Concat(parts) => {
            let (last, before) = parts.split_last()?;
            before.iter().try_fold(bound(last)?, |sum, part| {
                Some(sum.saturating_add(part.properties().maximum_len()?))
            })
        }
        HirKind::Repetition(rounds) => {
            let round = rounds.sub.properties().maximum_len()?;
            let least = usize::try_from(rounds.min).unwrap_or(usize::MAX);
            Some(round.saturating_mul(least.saturating_add(1)))
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => None,
    }
}
