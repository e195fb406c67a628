//! One difference as a line for people.

use lockstep_toolbox::output::Paint;

use crate::difference::{Difference, Shown};

/// `~ data password: 12 bytes, sha256:… -> 14 bytes, sha256:…`.
pub(crate) fn line(difference: &Difference, paint: Paint) -> String {
    let Difference {
        section,
        key,
        before,
        after,
    } = difference;
    let place = match key.as_str() {
        "" => section.word().to_owned(),
        key => format!("{} {key}", section.word()),
    };
    match (before, after) {
        (None, Some(after)) => paint.good(format!("+ {place}: {}", shown(after))),
        (Some(before), None) => paint.bad(format!("- {place}: {}", shown(before))),
        (Some(before), Some(after)) => {
            paint.warn(format!("~ {place}: {} -> {}", shown(before), shown(after)))
        }
        (None, None) => String::new(),
    }
}

fn shown(side: &Shown) -> String {
    match side {
        Shown::Word(word) => word.clone(),
        Shown::Value { length: 1, hash } => format!("1 byte, {hash}"),
        Shown::Value { length, hash } => format!("{length} bytes, {hash}"),
    }
}
