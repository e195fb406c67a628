//! Names of the objects deleted last, for the series the original operator has of every object it
//! ever saw go. Only so many are kept that no churn of namespaces is felt.

use std::collections::VecDeque;

use crate::key::ObjectKey;

/// Most names that are kept.
const MOST: usize = 1_000;

/// Objects deleted since the start, the last ones of them.
#[derive(Default)]
pub(super) struct Deleted(VecDeque<ObjectKey>);

impl Deleted {
    /// Notes that an object went.
    pub(super) fn went(&mut self, key: ObjectKey) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(key);
    }

    /// Notes that an object is there.
    pub(super) fn is_there(&mut self, key: &ObjectKey) {
        self.0.retain(|gone| gone != key);
    }

    /// The names, first gone first.
    pub(super) fn names(&self) -> impl Iterator<Item = &ObjectKey> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> ObjectKey {
        ObjectKey::new("ns", &format!("es-{number}"))
    }

    #[test]
    fn an_object_that_comes_back_is_not_among_them() {
        let mut deleted = Deleted::default();
        deleted.went(key(1));
        deleted.went(key(2));
        deleted.is_there(&key(1));

        assert_eq!(deleted.names().collect::<Vec<_>>(), [&key(2)]);
    }

    #[test]
    fn the_first_is_forgotten_when_there_are_too_many() {
        let mut deleted = Deleted::default();
        for number in 0..=MOST {
            deleted.went(key(number));
        }

        assert_eq!(deleted.names().count(), MOST);
        assert_eq!(deleted.names().next(), Some(&key(1)));
    }
}
