//! Finds the word somebody probably meant. Suggests nothing when no known word is near.

/// The known word nearest to `written`, if one is near enough to be a slip.
pub fn closest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    closest_within(written, known, 1.max(written.chars().count() / 3))
}

/// The known word nearest to `written` that at most `limit` letters tell apart.
pub fn closest_within<'a>(
    written: &str,
    known: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Option<&'a str> {
    let wanted = written.to_lowercase();
    let rated = known
        .into_iter()
        .map(|word| (strsim::osa_distance(&wanted, &word.to_lowercase()), word));
    let (distance, word) = rated.min()?;
    (distance <= limit && word != written).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: [&str; 4] = ["data", "dataFrom", "refreshInterval", "secretStoreRef"];

    #[test]
    fn a_slip_finds_the_word() {
        assert_eq!(closest("refreshIntervall", FIELDS), Some("refreshInterval"));
        assert_eq!(closest("datafrom", FIELDS), Some("dataFrom"));
        assert_eq!(closest("faek", ["fake", "aws"]), Some("fake"));
    }

    #[test]
    fn a_word_that_is_near_to_nothing_gets_no_suggestion() {
        assert_eq!(closest("template", FIELDS), None);
        assert_eq!(closest("x", []), None);
    }
}
