//! Alternatives in the order of their preference. The library factors out what all of them begin
//! with; that changes which one wins where the common part can match in more than one way, so it is
//! kept from doing so there, as in Go.

use regex_syntax::hir::{Hir, HirKind};

/// The first of some alternatives that matches.
pub(super) fn of(mut alternatives: Vec<Hir>) -> Hir {
    if shares_ambiguous_start(&alternatives) {
        // Matches nothing, and has nothing in common with the others.
        alternatives.push(Hir::fail());
    }
    Hir::alternation(alternatives)
}

/// Whether all alternatives begin with the same pieces, one of which can match in several ways.
fn shares_ambiguous_start(alternatives: &[Hir]) -> bool {
    let mut pieces = alternatives.iter().map(|one| match one.kind() {
        HirKind::Concat(pieces) => pieces.as_slice(),
        _ => &[],
    });
    let Some(first) = pieces.next() else {
        return false;
    };
    let common = pieces.fold(first.len(), |common, others| {
        let shared = first.iter().zip(others).take(common);
        shared.take_while(|(one, other)| one == other).count()
    });
    first[..common].iter().any(|piece| !matches_one_way(piece))
}

fn matches_one_way(piece: &Hir) -> bool {
    match piece.kind() {
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => true,
        HirKind::Repetition(repetition) => {
            repetition.max == Some(repetition.min) && matches_one_way(&repetition.sub)
        }
        HirKind::Capture(capture) => matches_one_way(&capture.sub),
        HirKind::Concat(pieces) => pieces.iter().all(matches_one_way),
        HirKind::Alternation(_) => false,
    }
}
