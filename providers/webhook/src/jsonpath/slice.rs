//! Which elements `[from:to:by]` names. Bounds beyond the list are cut to it.

use lockstep_provider_api::json::Value;

/// The elements between the bounds, backwards for a negative step.
pub(super) fn elements(
    elements: &[Value],
    [first, last, step]: [Option<i64>; 3],
) -> Box<dyn Iterator<Item = &Value> + '_> {
    let (first, last) = (first.unwrap_or(0), last.unwrap_or(i64::MAX));
    // Compared before what counts from the end is resolved, so `[0:-1]` is empty.
    if first > last {
        return Box::new(std::iter::empty());
    }
    let count = i64::try_from(elements.len()).unwrap_or(i64::MAX);
    let bound = |at: i64| {
        let at = if at < 0 { count.saturating_add(at) } else { at };
        usize::try_from(at.clamp(0, count)).unwrap_or_default()
    };
    let chosen = elements.get(bound(first)..bound(last)).unwrap_or_default();
    let step = step.filter(|step| *step != 0).unwrap_or(1);
    let by = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX);
    if step > 0 {
        Box::new(chosen.iter().step_by(by))
    } else {
        Box::new(chosen.iter().rev().step_by(by))
    }
}
