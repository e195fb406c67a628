//! Says which known name somebody probably meant. What counts as near is decided once, for manifests
//! and for the names of objects alike, in `lockstep_local::closest`.

pub use lockstep_local::closest::closest;

/// How many known names are listed where none is near.
const LISTED: usize = 5;

/// What to write behind "not found": the near name, the few names that exist, or that there is none.
/// `what` is the plural of what is named, with its place: `externalsecrets in namespace a`.
pub fn instead<'a>(written: &str, known: impl IntoIterator<Item = &'a str>, what: &str) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(near) = closest(written, known.iter().copied()) {
        return format!("did you mean {near}?");
    }
    match known.len() {
        0 => format!("there are no {what}"),
        1..=LISTED => format!("there are: {}", known.join(", ")),
        count => format!(
            "there are {count} {what}, among them {}",
            known[..LISTED].join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_suggested() {
        let text = instead("databse", ["database", "queue"], "externalsecrets");

        assert_eq!(text, "did you mean database?");
    }

    #[test]
    fn without_a_near_name_the_known_ones_are_listed() {
        assert_eq!(
            instead("x", ["database", "queue"], "externalsecrets"),
            "there are: database, queue"
        );
        assert_eq!(
            instead("x", [], "externalsecrets in namespace a"),
            "there are no externalsecrets in namespace a"
        );
        assert_eq!(
            instead("zz", ["a1", "b1", "c1", "d1", "e1", "f1"], "stores"),
            "there are 6 stores, among them a1, b1, c1, d1, e1"
        );
    }
}
