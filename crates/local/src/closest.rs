//! Finds the word somebody probably meant. Suggests nothing when no known word is near.

/// The known word nearest to `written`, if one is near enough to be a slip.
pub(crate) fn closest<'a>(
    written: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted = written.to_lowercase();
    let rated = known
        .into_iter()
        .map(|word| (distance(&wanted, &word.to_lowercase()), word));
    let (distance, word) = rated.min()?;
    let near = distance <= 1.max(written.chars().count() / 3);
    (near && word != written).then_some(word)
}

/// Number of letters to change, add, drop or swap with a neighbour.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, found) in other.iter().enumerate() {
            let changed = above[column] + usize::from(letter != found);
            let mut best = changed.min(above[column + 1] + 1).min(line[column] + 1);
            let swapped =
                row > 0 && column > 0 && *letter == other[column - 1] && one[row - 1] == *found;
            if swapped {
                best = best.min(before[column - 1] + 1);
            }
            line.push(best);
        }
        before = std::mem::replace(&mut above, line);
    }
    above[other.len()]
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
