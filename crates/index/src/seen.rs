//! What a watch shows of one kind, for the rule of that kind. Knows no watch and no client.

/// What a watch shows of one kind.
#[derive(Debug)]
pub enum Seen<T> {
    /// A full list begins. What is not applied again before it ends is gone.
    ListBegins,
    /// The object is there: new, changed or listed.
    Applied(Box<T>),
    /// The object was deleted; this is its last state.
    Deleted(Box<T>),
    /// The list is complete.
    ListEnds,
}

impl<T> Seen<T> {
    /// Reduces the object to what the index takes of it.
    pub fn map<U>(self, part: impl FnOnce(T) -> U) -> Seen<U> {
        match self {
            Self::ListBegins => Seen::ListBegins,
            Self::Applied(object) => Seen::Applied(Box::new(part(*object))),
            Self::Deleted(object) => Seen::Deleted(Box::new(part(*object))),
            Self::ListEnds => Seen::ListEnds,
        }
    }
}
