//! Where this chart may differ from the original one, and why. A rule names objects and places, with `*` for any text, and may
//! be limited to sets of values and to what this chart has there.

use serde::Deserialize;

/// One reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) reason: String,
    /// Any set when empty.
    #[serde(default)]
    sets: Vec<String>,
    objects: Vec<String>,
    /// The object as a whole when empty.
    #[serde(default)]
    places: Vec<String>,
    /// What this chart must have there; `-` means nothing.
    ours: Option<String>,
}

impl Rule {
    /// Whether the rule is about this difference.
    pub(super) fn covers(&self, set: &str, object: &str, place: &str, ours: &str) -> bool {
        let any = |patterns: &[String], text: &str| patterns.iter().any(|one| matches(one, text));
        let places = if self.places.is_empty() {
            place.is_empty()
        } else {
            any(&self.places, place)
        };
        let sets = self.sets.is_empty() || self.sets.iter().any(|one| one == set);
        let wanted = self
            .ours
            .as_ref()
            .is_none_or(|wanted| matches(wanted, ours));
        sets && places && wanted && any(&self.objects, object)
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, rest)) => {
            let Some(tail) = text.strip_prefix(head) else {
                return false;
            };
            (0..=tail.len())
                .filter(|at| tail.is_char_boundary(*at))
                .any(|at| matches(rest, &tail[at..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(matches("Role *-edit", "Role external-secrets-edit"));
        assert!(matches("*", ""));
        assert!(matches("a*b*c", "a-b-b-c"));
        assert!(!matches("Role *-edit", "ClusterRole external-secrets-edit"));
        assert!(!matches("a*b", "a-c"));
    }
}
